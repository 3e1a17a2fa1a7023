"""Strips of a calendar: the years, or halves of years, that hold days, and their weeks."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

MOST_STRIPS = 80
"""Years or half-years of a calendar that is as high as it needs."""


def strips_of(days: Sequence[date], *, half: bool) -> list[tuple[date, date]]:
    """The years, or halves of years, that hold days: first and last day."""
    strips = []
    for year in range(days[0].year, days[-1].year + 1):
        ends = [(1, 1, 6, 30), (7, 1, 12, 31)] if half else [(1, 1, 12, 31)]
        strips += [(date(year, a, b), date(year, c, d)) for a, b, c, d in ends]
    return [(first, last) for first, last in strips if any(first <= day <= last for day in days)]


def count_weeks(first: date, last: date) -> int:
    """The columns that the days from the first to the last may take."""
    return (last - first).days // 7 + 2


def week_of(first: date, day: date) -> int:
    """The column of a day in a strip from a first day on."""
    return ((day - first).days + first.weekday()) // 7


def earlier_words(strips: Sequence[object], shown: Sequence[object], *, half: bool) -> str:
    """Words for the years that are left out, or halves of them."""
    count = len(strips) - len(shown)
    return f"{count:,} earlier {'half-year' if half else 'year'}{'s' * (count > 1)}"
