"""Schedules in words: read back, the words name the very times at which a schedule runs."""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, time, timedelta

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from chains.language.schedule import Schedule, parse
from chains.language.schedule_words import ordinal

START = datetime(2027, 1, 1, tzinfo=UTC)
TIMES = 40
SMALL = ["zeroth", "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth"]
SUFFIXES = {1: "st", 2: "nd", 3: "rd"}
ORDINALS = {word: number for number, word in enumerate(SMALL)} | {
    f"{number}{'th' if number in (11, 12, 13) else SUFFIXES.get(number % 10, 'th')}": number
    for number in range(10, 61)
}
DAYS = {name: number for number, name in enumerate(calendar.day_name)}
MONTHS = {name: number for number, name in enumerate(calendar.month_name)}


def read(text: str) -> Schedule:
    schedule = parse(text)
    assert schedule is not None
    return schedule


def spans(words: str, value: Callable[[str], int]) -> set[int]:
    """The numbers of `a, b through d, and f`."""
    found: set[int] = set()
    for one in re.split(r", and |, | and ", words):
        first, _, last = one.partition(" through ")
        found |= set(range(value(first), value(last or first) + 1))
    return found


def numbers(words: str, name: str, size: int) -> set[int]:
    """The minutes or hours that some words name."""
    if words == f"every {name}":
        return set(range(size))
    if match := re.fullmatch(rf"every (?:(\w+) )?{name}(?: from (\d+) through (\d+))?", words):
        first, last = int(match[2] or 0), int(match[3] or size - 1)
        return set(range(first, last + 1, ORDINALS[match[1]] if match[1] else 1))
    match = re.fullmatch(rf"{name}s? (.*)", words)
    assert match is not None, words
    return spans(match[1], int)


def times_of_day(words: str) -> set[time]:
    """The times that the first part of a sentence names."""
    if re.fullmatch(r"at [\d:, and]+", words):
        return {time.fromisoformat(one) for one in re.findall(r"\d\d:\d\d", words)}
    if words == "at the start of every hour":
        return {time(hour) for hour in range(24)}
    if match := re.fullmatch(r"every minute from (\d\d):00 through (\d\d):59", words):
        hours = range(int(match[1]), int(match[2]) + 1)
        return {time(hour, minute) for hour in hours for minute in range(60)}
    minutes, _, hours = words.removeprefix("at ").partition(" past ")
    minutes = minutes.removesuffix(" of every hour")
    every = numbers(hours, "hour", 24) if hours else set(range(24))
    return {time(hour, minute) for hour in every for minute in numbers(minutes, "minute", 60)}


def months(words: str) -> set[int]:
    return set(range(1, 13)) if words in ("", "every month") else spans(words, MONTHS.__getitem__)


def is_named(words: str) -> Callable[[date], bool]:
    """Whether a date is named by the second part of a sentence."""
    if match := re.fullmatch(r"(?:every day)? ?(?:in (.*))?", words):
        return lambda day: day.month in months(match[1] or "")
    rest, _, weekdays = words.removeprefix("on ").partition(" if it's ")
    if weekdays:
        return lambda day: is_named(f"on {rest}")(day) and day.weekday() in spans(weekdays, DAYS.__getitem__)
    rest, _, weekdays = rest.partition(" and on ")
    if weekdays:
        return lambda day: is_named(f"on {rest}")(day) or is_named(f"on {weekdays}")(day)
    if match := re.fullmatch(r"([A-Z][a-z]+) (\d+)", rest):
        return lambda day: (day.month, day.day) == (MONTHS[match[1]], int(match[2]))
    if match := re.fullmatch(r"every (\w+) day from the (\w+) through the (\w+) of (.*)", rest):
        step, first, last = (ORDINALS[match[at]] for at in (1, 2, 3))
        return lambda day: day.day in range(first, last + 1, step) and day.month in months(match[4])
    if match := re.fullmatch(r"the (.*) day of (.*)", rest):
        return lambda day: day.day in spans(match[1], ORDINALS.__getitem__) and day.month in months(match[2])
    weekdays, _, of = rest.partition(" in ")
    return lambda day: day.weekday() in spans(weekdays, DAYS.__getitem__) and day.month in months(of)


def by_words(sentence: str) -> Iterator[datetime]:
    """The times that a sentence names, from START on."""
    sentence = sentence[0].lower() + sentence[1:]
    at = re.search(r" (?=on |every day|in [A-Z])", sentence)
    first, second = (sentence[: at.start()], sentence[at.end() :]) if at else (sentence, "")
    times, is_day = sorted(times_of_day(first)), is_named(second)
    for days in range(1, 366 * 41):
        day = START + timedelta(days=days - 1)
        if is_day(day.date()):
            yield from (datetime.combine(day, one, UTC) for one in times)


def field(low: int, high: int) -> st.SearchStrategy[str]:
    size = high - low + (high != 7)
    one = st.integers(low, high)
    span = st.tuples(one, one).map(lambda two: f"{min(two)}-{max(two)}")
    stepped = st.tuples(st.just("*") | span | one.map(str), st.integers(1, size)).map("{0[0]}/{0[1]}".format)
    part = one.map(str) | span | stepped | st.just("*")
    return st.just("*") | part | st.lists(part, min_size=1, max_size=4).map(",".join)


EXPRESSIONS = st.tuples(field(0, 59), field(0, 23), field(1, 28), field(1, 12), field(0, 7)).map(" ".join)


@given(EXPRESSIONS)
@example("0 0 1-31 * 1")
@example("0 0 */2 * 1")
@example("0 0 1 * 1")
@example("0 0 1 * */2")
@example("0 0 *,5 * 1")
@example("0 0 31 2 5")
@example("59 23 29 2 *")
@example("*/60 */24 */31 */12 */7")
@example("50/20 10-20/20 * * 0-7")
def test_the_words_name_the_times_of_the_runs(text: str) -> None:
    schedule = read(text)
    sentence, _, zone = schedule.explain().rpartition(", ")
    assert zone == "UTC"
    found = [one for one, _ in zip(by_words(sentence), range(TIMES), strict=False)]
    assert found == list(schedule.next(len(found), START - timedelta(minutes=1))), sentence
    assert found


@pytest.mark.parametrize(
    "text,words",
    [
        ("0 0 1-31 * 1", "At 00:00 every day"),
        ("0 0 5 2 1-7", "At 00:00 every day in February"),
        (
            "0 0 */2 * 1",
            "At 00:00 on every second day from the first through the 31st of every month if it's Monday",
        ),
        ("0 0 22 * *", "At 00:00 on the 22nd day of every month"),
        (
            "0 0 1,2,3,11,12,13,21,22,23,31 * *",
            "At 00:00 on the first through third, 11th through 13th, 21st through 23rd, and 31st day "
            "of every month",
        ),
        ("0 0 29 2 *", "At 00:00 on February 29"),
        ("0 0 29 2 mon", "At 00:00 on February 29 and on Monday in February"),
        ("0 0 * 1-3 *", "At 00:00 every day in January through March"),
        ("*/60 * * * *", "At the start of every hour"),
        ("*/20,5 * * * *", "At minutes 0, 5, 20, and 40 of every hour"),
        ("10-20/30 * * * *", "At minute 10 of every hour"),
        ("5/20 9,12 * * *", "Every 20th minute from 5 through 45 past hours 9 and 12"),
        ("* 9-17 * * 1-5", "Every minute from 09:00 through 17:59 on Monday through Friday"),
        ("* */5 * * *", "Every minute past every fifth hour"),
        ("0 0 * * 7,1", "At 00:00 on Monday and Sunday"),
        ("* * * 12 *", "Every minute in December"),
    ],
)  # fmt: skip
def test_words_are_english(text: str, words: str) -> None:
    assert read(text).explain() == f"{words}, UTC"


def test_ordinals() -> None:
    assert [ordinal(number) for number in range(1, 61)] == list(ORDINALS)[1:]
