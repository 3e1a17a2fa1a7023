"""Ticks of a calendar axis: the finest step of hours, days, months or years whose labels keep apart."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from handlers.render.plots.data.table_text import milliseconds
from handlers.render.plots.look.type_metrics import text_width

MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
AIR = 14
MOST = 14
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
STEPS = (
    *(("hour", count) for count in (1, 3, 6, 12)),
    *(("day", count) for count in (1, 2, 7, 14)),
    *(("month", count) for count in (1, 2, 3, 6)),
    *(("year", count) for count in (1, 2, 5, 10, 20, 25, 50, 100)),
)
LENGTHS = {"hour": HOUR, "day": DAY, "month": timedelta(days=30), "year": timedelta(days=365)}


@dataclass(frozen=True, slots=True)
class CalendarTick:
    """A tick: its moment in milliseconds since 1970, and one or two lines, the second for a greater unit."""

    at: int
    lines: tuple[str, ...]


def calendar_ticks(
    low: datetime, high: datetime, width: float, size: float, *, clock: bool
) -> list[CalendarTick]:
    """Ticks between two moments over a width in pixels; without `clock` none is finer than a day."""
    span = max(high - low, timedelta(seconds=1))
    for unit, count in STEPS:
        if unit == "hour" and not clock:
            continue
        if span / (LENGTHS[unit] * count) > width / (text_width("00", size) + AIR / 2):
            continue
        ticks = list(_with_labels(unit, count, low, high))
        if _apart(ticks, low, span, width, size):
            return ticks
    return _ends(low, high)


def _apart(ticks: list[CalendarTick], low: datetime, span: timedelta, width: float, size: float) -> bool:
    """Whether there are at least two labels, not too many, with air between each and the next."""
    if len(ticks) < 2 or len(ticks) > max(2, min(MOST, width / (size * 3.4))):
        return False
    start, scale = milliseconds(low), width / (span / timedelta(milliseconds=1))
    at = [(tick.at - start) * scale for tick in ticks]
    half = [max(text_width(line, size) for line in tick.lines) / 2 for tick in ticks]
    return all(at[i + 1] - at[i] - half[i] - half[i + 1] >= AIR for i in range(len(ticks) - 1))


def _with_labels(unit: str, count: int, low: datetime, high: datetime) -> Iterator[CalendarTick]:
    """The ticks of a step; the greater unit stands below the first and wherever it changes."""
    last = ""
    for moment in _moments(unit, count, low, high):
        line, greater = _names(unit, moment)
        yield CalendarTick(milliseconds(moment), (line, greater) if greater and greater != last else (line,))
        last = greater


def _names(unit: str, moment: datetime) -> tuple[str, str]:
    month = MONTHS[moment.month - 1]
    if unit == "hour":
        return f"{moment:%H}:00", f"{moment.day} {month}"
    if unit == "day":
        return str(moment.day), month
    return (month, str(moment.year)) if unit == "month" else (str(moment.year), "")


def _moments(unit: str, count: int, low: datetime, high: datetime) -> Iterator[datetime]:
    if unit in ("hour", "day"):
        step = HOUR if unit == "hour" else DAY
        moment = low.replace(minute=0, second=0, microsecond=0)
        moment = moment if unit == "hour" else moment.replace(hour=0)
        while moment <= high:
            if moment >= low and _falls_on(unit, count, moment):
                yield moment
            moment += step
        return
    months = count if unit == "month" else 12 * count
    first = (
        low.year * 12 + low.month - 1 + (low > low.replace(day=1, hour=0, minute=0, second=0, microsecond=0))
    )
    index = -(-first // months) * months
    while index // 12 < 9999 and (moment := datetime(index // 12, index % 12 + 1, 1)) <= high:  # noqa: DTZ001
        yield moment
        index += months


def _falls_on(unit: str, count: int, moment: datetime) -> bool:
    if unit == "hour":
        return moment.hour % count == 0
    if count == 7:
        return moment.weekday() == 0
    return moment.toordinal() % count == (1 if count == 14 else 0)


def _ends(low: datetime, high: datetime) -> list[CalendarTick]:
    ends = [low] if low == high else [low, high]
    return [
        CalendarTick(milliseconds(moment), (f"{moment.day} {MONTHS[moment.month - 1]}", str(moment.year)))
        for moment in ends
    ]
