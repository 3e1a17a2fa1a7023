"""Schedules as other programs read them: croniter's times, cron-descriptor's words, and why they differ."""

from __future__ import annotations

import calendar
import re
from datetime import UTC, datetime

import pytest
from cron_descriptor import Options, get_description
from croniter import croniter
from hypothesis import event, given
from hypothesis import strategies as st

from chains.language.mistake import Mistake
from chains.language.schedule import Schedule, parse
from tests.chains.language.test_schedule_words import EXPRESSIONS

BEFORE = datetime(2026, 12, 31, 23, 59, tzinfo=UTC)
TIMES = 15


def read(text: str) -> Schedule:
    schedule = parse(text)
    assert schedule is not None
    return schedule


def difference(fields: list[str]) -> str:
    """Why croniter names other times; "" where it has to name the same."""
    if any(re.search(r"\b(\d+)-\1\b", field) for field in fields):
        return "it takes a range of one number, 5-5, for all numbers"
    if re.search(r"(?<![-\d])\d/", fields[4]):
        return "its last weekday is 6, up to which a step from a number goes; here as in cron it is 7, Sunday"
    if any(re.search(r"^[^*].*,\*(,|$|/1\b)", fields[at]) for at in (2, 4)):
        return "it looks for a star anywhere in a list; Vixie's cron looks at the first sign of the field"
    return ""


def theirs(text: str) -> list[datetime]:
    """The times by croniter, set to treat day and weekday by their stars as Vixie's cron does."""
    times = croniter(text, BEFORE, implement_cron_bug=True)
    return [times.get_next(datetime) for _ in range(TIMES)]


@given(EXPRESSIONS)
def test_croniter_names_the_same_times(text: str) -> None:
    fields = text.split(" ")
    reason = difference(fields)
    event(reason or "the same")
    if not reason:
        assert theirs(text) == list(read(text).next(TIMES, BEFORE))


@pytest.mark.parametrize(
    "text",
    ["0 0 1,* * 1", "0 0 15 * 3,*", "0 5-5 * * *", "0 0 * * 7-7", "0 0 * * 1/6", "0 0 * * 4/3"],
)
def test_the_known_differences_to_croniter_are_there(text: str) -> None:
    assert difference(text.split(" "))
    assert theirs(text) != list(read(text).next(TIMES, BEFORE))


SINGLES = st.tuples(
    st.lists(st.integers(0, 59), min_size=1, max_size=2, unique=True),
    st.lists(st.integers(0, 23), min_size=1, max_size=2, unique=True),
    st.lists(st.integers(1, 31), max_size=2, unique=True),
    st.lists(st.integers(1, 12), max_size=3, unique=True),
    st.lists(st.integers(0, 6), max_size=3, unique=True),
)
NAMES = re.compile("|".join([*calendar.month_name[1:], *calendar.day_name]))
OPTIONS = Options()
OPTIONS.use_24hour_time_format = True


def facts(words: str) -> tuple[set[str], set[str], set[int]]:
    """The times of a day, the names and the days of the month in a sentence."""
    days = words[words.find(" on ") :] if " on " in words else ""
    spelled = days.replace("first", "1st").replace("second", "2nd").replace("third", "3rd")
    for number, word in enumerate(("fourth", "fifth", "sixth", "seventh", "eighth", "ninth"), 4):
        spelled = spelled.replace(word, f"{number}th")
    plain = re.sub(r"\d\d:\d\d", "", spelled)
    return (
        set(re.findall(r"\d\d:\d\d", words)),
        set(NAMES.findall(words)),
        set(map(int, re.findall(r"\d+", plain))),
    )


@given(SINGLES)
def test_cron_descriptor_tells_the_same_facts(chosen: tuple[list[int], ...]) -> None:
    minutes, hours, days, months, weekdays = map(sorted, chosen)
    if len(minutes) > 1:
        hours = hours[:1]  # it tells times one by one for one hour or one minute alone
    text = " ".join(",".join(map(str, field)) or "*" for field in (minutes, hours, days, months, weekdays))
    try:
        ours = read(text).explain().removesuffix(", UTC")
    except Mistake:
        assert days and not weekdays
        assert min(days) > 29 - (months == [2])
        return
    rows = (months, [one or 7 for one in weekdays])
    if any(one + 2 in row and one + 1 in row for row in rows for one in row):
        return  # three in a row are described by their ends here, Sunday as the last of a week
    if len(minutes) == 1:
        assert facts(ours) == facts(get_description(text, OPTIONS)), ours
    assert ("and on" in ours) == bool(days and weekdays)


@pytest.mark.parametrize(
    "text, theirs, ours",
    [
        # It always says "or"; by Vixie's rule a day or weekday that begins with a star means both.
        ("0 0 */2 * 1", "or on Monday", "if it's Monday"),
        # It tells the form, not what follows from it: either is enough, so every day.
        ("0 0 1-31 * 1", "or on Monday", "every day"),
        # It counts days through, although the count restarts with each month.
        ("0 0 */10 * *", "every 10 days", "every 10th day from the first through the 31st of every month"),
        # A step that leaves one number is no step.
        ("10-20/30 * * * *", "Every 30 minutes", "At minute 10 of every hour"),
        ("*/60 * * * *", "Every 60 minutes", "At the start of every hour"),
        ("0 0 * * 0-7", "Sunday through Sunday", "every day"),
    ],
)
def test_the_known_differences_to_cron_descriptor(text: str, theirs: str, ours: str) -> None:
    assert theirs in get_description(text, OPTIONS)
    assert ours in read(text).explain()


def test_it_explains_steps_that_are_refused_here() -> None:
    assert get_description("*/90 * * * *") == "Every 90 minutes"
    with pytest.raises(Mistake, match="the minute: a step of 90"):
        parse("*/90 * * * *")
