"""Days and times along lines in a terminal: at round places, each label whole, none twice in a row."""

from __future__ import annotations

import itertools
import re
from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.render.plots.forms.terminal.chart import terminal_chart
from handlers.words.language import ENGLISH
from handlers.words.plot import Plot

MONTH = "|".join(ENGLISH.short_months)
LABEL = re.compile(
    rf"(?P<time>\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(?: (?P<of>\d+ (?:{MONTH})(?: \d{{4}})?))?"
    rf"|(?P<day>\d{{1,2}})(?: (?:{MONTH})(?: \d{{4}})?)?|(?P<month>{MONTH})(?: \d{{4}})?|(?P<year>\d{{4}})"
)
FIRST = datetime(1950, 1, 1)  # noqa: DTZ001
STEPS = st.sampled_from(
    [
        *(timedelta(minutes=count) for count in (1, 7, 30, 60, 300)),
        *(timedelta(days=count) for count in (1, 3, 7, 30, 91, 365, 3000)),
    ]
)


def foot(moments: list[datetime], columns: int, **config: str) -> tuple[list[int], str, str]:
    """Return the columns of the ticks below a line over moments, their labels, and the line."""
    clock = any(moment.time() != datetime.min.time() for moment in moments)
    form = "%Y-%m-%dT%H:%M" if clock else "%Y-%m-%d"
    data = "when,calls\n" + "".join(f"{one:{form}},{at % 7}\n" for at, one in enumerate(moments))
    plot = Plot(data, {"type": "line", **config})
    *_, marks, labels = terminal_chart(plot, columns, 12, colored=False).splitlines()
    return [at for at, sign in enumerate(marks) if sign == "┬"], labels, marks


def moment_at(column: int, moments: list[datetime], marks: str) -> tuple[datetime, datetime]:
    """The moments between which a column of the figure begins and ends."""
    left, right = marks.index("└") + 1, marks.index("┘") - 1
    each = (moments[-1] - moments[0]) / max(1, right - left)
    return moments[0] + each * (column - left - 0.6), moments[0] + each * (column - left + 0.6)


def round_between(low: datetime, high: datetime, found: re.Match[str]) -> bool:
    """Return whether the moment of a label is between two others."""
    if found["year"]:
        return low <= datetime(int(found["year"]), 1, 1) <= high  # noqa: DTZ001
    days = (low.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=at) for at in range(2000))
    within = [day for day in itertools.takewhile(lambda day: day <= high, days) if day >= low]
    if found["month"]:  # at its first day, or at its last one if all moments are ends of months
        ends = [day for day in within if 1 in (day.day, (day + timedelta(days=1)).day)]
        return any(ENGLISH.short_months[day.month - 1] == found["month"] for day in ends)
    if found["day"]:
        return any(day.day == int(found["day"]) for day in within)
    hour, minute = int(found["time"][:2]), int(found["time"][3:5])
    starts = (low.date(), high.date())
    times = (datetime.combine(day, datetime.min.time()).replace(hour=hour, minute=minute) for day in starts)
    return any(low <= time <= high for time in times)


@given(st.integers(0, 800_000), STEPS, st.integers(2, 60), st.integers(24, 140))
def test_labels_are_whole_and_at_the_moments_that_they_name(
    start: int, step: timedelta, count: int, columns: int
) -> None:
    first = FIRST + timedelta(hours=start)
    first = first.replace(hour=0) if step >= timedelta(days=1) else first
    moments = [first + step * at for at in range(count)]
    ticks, labels, marks = foot(moments, columns)
    assert len(labels) <= columns
    written = [(found.start(), found[0]) for found in re.finditer(r"\S+(?: \S+)*", labels)]
    assert 1 <= len(written) <= len(ticks)
    for (_, one), (_, other) in itertools.pairwise(written):
        assert one != other
    if len(written) < 2 or len(written) < len(ticks):
        return  # the two ends; one had no room
    for (at, text), column in zip(written, ticks, strict=True):
        found = LABEL.fullmatch(text)
        assert found, text
        assert at - 1 <= column <= at + len(text) or column in (ticks[0], ticks[-1])
        if re.fullmatch(rf"\d+ (?:{MONTH}) \d{{4}}", text) and column in (ticks[0], ticks[-1]):
            continue  # an end, named where no two round days find room
        assert round_between(*moment_at(column, moments, marks), found), (text, labels)


@pytest.mark.parametrize(
    ("low", "step", "count", "labels"),
    [
        ("2026-01-05", timedelta(days=1), 300, "Mar 2026 May Jul Sep"),
        ("2026-03-02T08:00", timedelta(minutes=20), 40, "09:00 2 Mar 12:00 15:00 18:00 21:00"),
        ("1950-01-01", timedelta(days=365.25), 77, "1950 1960 1970 1980 1990 2000 2010 2020"),
        ("2026-02-02", timedelta(days=1), 1, "2 Feb 2026"),
    ],
)
def test_ticks_are_where_people_count(low: str, step: timedelta, count: int, labels: str) -> None:
    moments = [datetime.fromisoformat(low) + step * at for at in range(count)]
    moments = [one.replace(month=1, day=1) for one in moments] if step > timedelta(days=300) else moments
    assert " ".join(foot(moments, 60)[1].split()) == labels


def test_a_chosen_format_writes_the_labels() -> None:
    moments = [datetime(2026, 1, 1) + timedelta(days=at) for at in range(200)]  # noqa: DTZ001
    assert foot(moments, 80, **{"axis/labels": "x %b %y"})[1].split()[:4] == ["Jan", "26", "Feb", "26"]


def test_a_long_name_is_cut_with_a_mark() -> None:
    plot = Plot("lights,n\nnorthern lights of the year,3\nb,4\n", {"type": "line"})
    assert "northern lights…" in terminal_chart(plot, 60, 12, colored=False).splitlines()[-1]
