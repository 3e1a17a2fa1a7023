"""Ticks of a calendar axis, and the strips (years or half-years) of a calendar."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta

from handlers.render.plots.data.dates_written import EPOCH
from handlers.render.plots.look.type_metrics import text_width
from handlers.words.language import language

AIR = 14
ABOUT = 1.1
"""Factor by which a step of months or years may be shorter than the step of the data."""
MOST = 14
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
STEPS = (
    *(("millisecond", count) for count in (1, 2, 5, 10, 20, 50, 100, 200, 500)),
    *(("second", count) for count in (1, 2, 5, 10, 15, 30)),
    *(("minute", count) for count in (1, 2, 5, 10, 15, 30)),
    *(("hour", count) for count in (1, 3, 6, 12)),
    *(("day", count) for count in (1, 2, 7, 14)),
    *(("month", count) for count in (1, 2, 3, 6)),
    *(("year", count) for count in (1, 2, 5, 10, 20, 25, 50, 100)),
)
CLOCK = ("millisecond", "second", "minute", "hour")
LENGTHS = {
    "millisecond": timedelta(milliseconds=1), "second": timedelta(seconds=1),
    "minute": timedelta(minutes=1), "hour": HOUR, "day": DAY,
    "month": timedelta(days=30), "year": timedelta(days=365),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class CalendarTick:
    """A tick: its moment in milliseconds since 1970, and its label; a second line is for a greater unit."""

    at: float
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TickRoom:
    """The space for labels along an axis: its width, a function for text widths, and the gap between labels.

    `step` is the least distance of ticks. With `one_line`, the lines of a label are joined.
    """

    width: float
    text: Callable[[str], float]
    air: float
    step: float
    one_line: bool = False

    @classmethod
    def of_pixels(cls, width: float, size: float) -> TickRoom:
        """Return the space for labels in a font size."""
        return cls(width, lambda text: text_width(text, size), AIR, size * 3.4)


def calendar_ticks(low: datetime, high: datetime, room: TickRoom, finest: timedelta) -> list[CalendarTick]:
    """Return ticks between two moments that fit, at steps that are not finer than those of the data."""
    span = max(high - low, timedelta(microseconds=1))
    for unit, count in STEPS:
        if LENGTHS[unit] * count * ABOUT < finest:
            continue
        if span / (LENGTHS[unit] * count) > room.width / (room.text("00") + room.air / 2):
            continue
        ticks = _as_lines(_with_labels(unit, count, low, high), room)
        if _apart(ticks, low, span, room):
            return ticks
    return _as_lines(_ends(low, high, finest), room)


def _as_lines(ticks: Iterable[CalendarTick], room: TickRoom) -> list[CalendarTick]:
    """Return the ticks; if the space has only one line, the lines of their labels are joined."""
    return [replace(tick, lines=(" ".join(tick.lines),)) if room.one_line else tick for tick in ticks]


def _apart(ticks: list[CalendarTick], low: datetime, span: timedelta, room: TickRoom) -> bool:
    """Return whether there are two or more labels, not too many, and none of them touch on a line."""
    if len(ticks) < 2 or len(ticks) > max(2, min(MOST, room.width / room.step)):
        return False
    start, scale = at_of(low), room.width / (span / timedelta(milliseconds=1))
    for line in (0, 1):
        labels = [((tick.at - start) * scale, tick.lines[line]) for tick in ticks if len(tick.lines) > line]
        for (left, one), (right, other) in itertools.pairwise(labels):
            if right - left - (room.text(one) + room.text(other)) / 2 < room.air:
                return False
    return True


def _with_labels(unit: str, count: int, low: datetime, high: datetime) -> Iterator[CalendarTick]:
    """Yield the ticks of a step; the greater unit is below the first and wherever it changes."""
    last: datetime | None = None
    for moment in _moments(unit, count, low, high):
        line, greater = _names(unit, moment, last)
        yield CalendarTick(at_of(moment), (line, greater) if greater else (line,))
        last = moment


def _names(unit: str, moment: datetime, last: datetime | None) -> tuple[str, str]:
    """Return the label of a tick, and the greater unit if it differs from that of the tick before."""
    written, same_year = language(), last is not None and last.year == moment.year
    month = written.short_months[moment.month - 1]
    if unit in CLOCK:
        same = last is not None and last.date() == moment.date()
        day = "" if same else written.date(moment, written.day_month)
        return time_of(moment, finest=LENGTHS[unit]), day
    if unit == "day":
        same = last is not None and same_year and last.month == moment.month
        greater = month if same_year else written.date(moment, written.month_year)
        return str(moment.day), "" if same else greater
    if unit == "month":
        return month, "" if same_year else str(moment.year)
    return str(moment.year), ""


def _moments(unit: str, count: int, low: datetime, high: datetime) -> Iterator[datetime]:
    if LENGTHS[unit] <= DAY:
        step = LENGTHS[unit] * (count if unit in CLOCK else 1)
        midnight = datetime.combine(low, time())
        moment = midnight + step * ((low - midnight) // step)
        # Day 1 of the calendar was a Monday, with which whole weeks begin.
        first_day = 1 if count % 7 == 0 else 0
        while moment <= high:
            if moment >= low and (unit != "day" or moment.toordinal() % count == first_day):
                yield moment
            moment += step
        return
    months = count if unit == "month" else 12 * count
    first = low.year * 12 + low.month - 1 + (low > datetime.combine(low.replace(day=1), time()))
    index = -(-first // months) * months
    while index // 12 < 9999 and (moment := datetime(index // 12, index % 12 + 1, 1)) <= high:  # noqa: DTZ001
        yield moment
        index += months


def time_of(moment: datetime, *, finest: timedelta) -> str:
    """Return the time of day, with the fraction of seconds that a step needs."""
    units = (unit for unit in ("minute", "second", "millisecond") if finest >= LENGTHS[unit])
    return moment.time().isoformat(f"{next(units, 'microsecond')}s")


def _ends(low: datetime, high: datetime, finest: timedelta) -> list[CalendarTick]:
    """Return the two ends, with their times if both are on one day."""
    ends, written = [low] if low == high else [low, high], language()
    if low.date() == high.date() and (low != high or low.time() != time()):
        exact = any(end.microsecond % 1000 for end in ends)
        least = timedelta(microseconds=1) if exact else min(finest, LENGTHS["minute"])
        least = min(least, LENGTHS["second"]) if any(end.second for end in ends) else least
        least = min(least, LENGTHS["millisecond"]) if any(end.microsecond for end in ends) else least
        day = written.date(low, written.day_month_year)
        return [CalendarTick(at_of(end), (time_of(end, finest=least), day)) for end in ends]
    return [CalendarTick(at_of(end), (written.date(end, written.day_month), str(end.year))) for end in ends]


def at_of(moment: datetime) -> float:
    """Return the position of a moment along an axis, in milliseconds since 1970."""
    return (moment - EPOCH) / timedelta(milliseconds=1)


MOST_STRIPS = 80
"""Most years or half-years in a calendar without a given height."""


def strips_of(days: Sequence[date], *, half: bool) -> list[tuple[date, date]]:
    """Return the first and last day of each year, or half-year, that contains days."""
    ends = [(1, 1, 6, 30), (7, 1, 12, 31)] if half else [(1, 1, 12, 31)]
    years = range(days[0].year, days[-1].year + 1)
    strips = [(date(year, a, b), date(year, c, d)) for year in years for a, b, c, d in ends]
    return [(first, last) for first, last in strips if any(first <= day <= last for day in days)]


def count_weeks(first: date, last: date) -> int:
    """Return a number of columns (weeks) that is enough for all days from the first to the last."""
    return (last - first).days // 7 + 2


def week_of(first: date, day: date) -> int:
    """Return the column of a day in a strip that begins with the week of `first`."""
    return ((day - first).days + first.weekday()) // 7


def earlier_words(strips: Sequence[object], shown: Sequence[object], *, half: bool) -> str:
    """Return the sentence about earlier years, or half-years, that are left out."""
    count, what = len(strips) - len(shown), "half-year" if half else "year"
    return f"{count:,} earlier {what}{'s' * (count > 1)}"
