"""Box of lines and areas: its size in pixels, its value axis, and its ticks of days, numbers or rows."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum

from handlers.render.plots.charts.calendar_ticks import CalendarTick, TickRoom, at_of, calendar_ticks
from handlers.render.plots.charts.value_axis import Plane, ValueAxis, tick_labels, ticks_over, value_axis
from handlers.render.plots.data.dates_written import EPOCH, are_ends_of_months, end_of_month
from handlers.render.plots.data.frame import Frame
from handlers.render.plots.data.numbers import log_ticks, round_ticks
from handlers.render.plots.data.series import totals
from handlers.render.plots.look.options import AxisOptions, ChartOptions
from handlers.render.plots.look.style import Style
from handlers.render.plots.look.type_metrics import wrap
from handlers.words.variables import format_value

LAST_MOMENT = 2e14
MOST_NAMED = 16
"""Most rows whose names are centred in their steps, as below bars."""


class LineKind(StrEnum):
    """The marks of a series: its line, a line in steps, an area below it, or stacked areas."""

    LINE = "line"
    STEP = "step"
    AREA = "area"
    STACKED = "stacked"

    @property
    def from_zero(self) -> bool:
        """Whether heights show amounts, so that the axis begins at zero."""
        return self in (LineKind.AREA, LineKind.STACKED)


@dataclass
class LineBox(Plane):
    """The box of lines, and the ticks of its horizontal axis.

    `after` and `below` are pixels beside it. `signs` is whether ticks are drawn along it. Lines are `dashed`
    from a pixel on.
    """

    after: float
    below: float
    ticks: Sequence[CalendarTick]
    signs: bool
    dashed: float = math.inf

    @property
    def labels(self) -> list[tuple[float, Sequence[str]]]:
        """The labels of its ticks with their pixels."""
        return [(self.x(tick.at), tick.lines) for tick in self.ticks]

    @property
    def whole(self) -> float:
        """The height of the whole chart."""
        return self.bottom + self.below


def places_of(frame: Frame) -> list[float]:
    """Return the places of rows along the axis: milliseconds since 1970, numbers, or row numbers."""
    if frame.moments is not None:
        return [at_of(moment) for moment in frame.moments]
    return [float(place) for place in frame.numbers_along or range(frame.height)]


def measure_box(
    style: Style, frame: Frame, box: float | None, kind: LineKind, options: ChartOptions
) -> LineBox:
    """Return the plot's box without labels beside it."""
    height = box or style.height(0.46 if frame.height > 1 else 0.3)
    values = totals(frame) if kind is LineKind.STACKED else frame.values
    count, zero = ticks_over(height - 50), kind.from_zero
    axis = value_axis(values, count, options.unit, zero=zero, settings=options.values)
    along = ValueAxis((), (), _ends(frame, options), options.along.log)
    left = math.ceil(style.widest(axis.labels)) + 10
    ticks = ticks_of(style, frame, along.domain, style.inner - left, options)
    first, last = ticks[0], ticks[-1]
    before = along.position(first.at, style.inner - left)
    left += max(0, math.ceil(style.widest(first.lines) / 2 - before - left - style.padding))
    beyond = along.position(last.at, 1.0) - 1
    overhang = beyond * (style.inner - left) + style.widest(last.lines) / 2
    right = math.ceil(max(2.0, overhang))
    bottom = max(len(tick.lines) for tick in ticks) * style.line + 12 if options.along.labels else 10
    top = style.label + 8
    width, height = style.inner - left - right, max(16.0, height - top - bottom)
    return LineBox(left, top, width, height, axis, along, right, bottom, ticks, options.along.ticks)


def make_room(style: Style, frame: Frame, area: LineBox, room: int, options: ChartOptions) -> None:
    """Reserve pixels beside the lines, and place the ticks again."""
    area.width, area.after = area.width + area.after - room, room
    area.ticks = ticks_of(style, frame, area.along.domain, area.width, options)


def _ends(frame: Frame, options: ChartOptions) -> tuple[float, float]:
    """Return the ends of the horizontal axis; settings can widen one of dates or numbers."""
    places, along = places_of(frame), options.along
    low, high = min(places), max(places)
    if frame.moments is not None:
        low = low if along.low is None else min(low, moment_of(along.low, low))
        high = high if along.high is None else max(high, moment_of(along.high, high))
    elif frame.numbers_along is not None:
        low, high = _number_ends(low, high, along)
    elif 1 < frame.height <= MOST_NAMED:
        return low - 0.5, high + 0.5
    if low == high:
        air = 864e5 if frame.moments else abs(low) or 1.0
        low, high = (low / 2, high * 2) if along.log else (low - air, high + air)
    return low, high


def _number_ends(low: float, high: float, along: AxisOptions) -> tuple[float, float]:
    wanted = [end for end in (along.low, along.high, *along.at) if end is not None]
    places = [low, high, *(end for end in wanted if end > 0 or not along.log)]
    return min(places), max(places)


def moment_of(setting: float, usual: float = 0.0) -> float:
    """Return a configured end in milliseconds since 1970; a number of four digits is a year."""
    if 1500 <= setting < 2200:
        return at_of(datetime(int(setting), 1, 1))  # noqa: DTZ001
    return usual if abs(setting) > LAST_MOMENT else setting


def ticks_of(
    style: Style, frame: Frame, ends: tuple[float, float], width: float, options: ChartOptions
) -> list[CalendarTick]:
    """Return ticks of days or numbers, or the names of as many rows as fit."""
    along = options.along
    if frame.moments is not None:
        room = min(width, (along.count + 0.5) * style.label * 3.4) if along.count else width
        return moment_ticks(frame, ends, TickRoom.of_pixels(room, style.label), along)
    if frame.numbers_along is not None:
        return _number_ticks(style, frame, ends, width, along)
    return _row_ticks(style, frame, width / max(1e-9, ends[1] - ends[0]), along)


def moment_ticks(
    frame: Frame, ends: tuple[float, float], room: TickRoom, along: AxisOptions
) -> list[CalendarTick]:
    """Return ticks of days and times between the ends, with labels in the configured format."""
    low, high = (EPOCH + timedelta(milliseconds=end) for end in ends)
    ticks = _month_end_ticks(frame, low, high, room) or calendar_ticks(low, high, room, _finest(frame))
    written = [CalendarTick(tick.at, _lines(tick, along)) for tick in ticks]
    if "%" not in along.format:
        return written
    # A format coarser than the ticks would repeat labels.
    return [one for at, one in enumerate(written) if not at or one.lines != written[at - 1].lines]


def _month_end_ticks(frame: Frame, low: datetime, high: datetime, room: TickRoom) -> list[CalendarTick]:
    """Return ticks at the ends of months if all days of a frame are such ends and month names fit."""
    if not are_ends_of_months(frame.moments or ()):
        return []
    ticks = calendar_ticks(low.replace(day=1), high, room, _finest(frame))
    starts = [EPOCH + timedelta(milliseconds=tick.at) for tick in ticks]
    if any(start.day != 1 for start in starts):
        return []
    ends = [at_of(end_of_month(start)) for start in starts]
    return [replace(tick, at=end) for tick, end in zip(ticks, ends, strict=True) if end <= at_of(high)]


def _number_ticks(
    style: Style, frame: Frame, ends: tuple[float, float], width: float, along: AxisOptions
) -> list[CalendarTick]:
    """Return ticks at round numbers between the ends, at integers if the data are integers."""
    low, high = ends
    most = along.count or max(2, min(10, round(width / (style.label * 6.5))))
    if all(place == int(place) for place in frame.numbers_along or ()):
        most = min(most, max(1, int(high - low)))
    wanted = [at for at in along.at if at > 0 or not along.log]
    sets = [wanted, log_ticks(low, high, most) if along.log else [], round_ticks(low, high, most)]
    within = ([tick for tick in ticks if low <= tick <= high] for ticks in sets)
    inside = next((ticks for ticks in within if len(ticks) > 1), [low, high])
    unit = frame.axis.unit if frame.axis is not None else ""
    labels = tick_labels(inside, unit, along, alike=not along.log)
    return [CalendarTick(tick, (label,)) for tick, label in zip(inside, labels, strict=True)]


def _row_ticks(style: Style, frame: Frame, step: float, along: AxisOptions) -> list[CalendarTick]:
    """Return ticks with the names of every n-th row, each in up to two lines."""
    names = frame.categories
    longest = min(style.widest(names), max(step, style.label * 8))
    every = max(1, math.ceil((longest + 10) / step))
    every = max(every, math.ceil(frame.height / along.count) if along.count else 1)
    room = step * every - 10
    return [
        CalendarTick(row, tuple(wrap(names[row], style.label, room, most=2)) if along.labels else ("",))
        for row in range(0, frame.height, every)
    ]


def _finest(frame: Frame) -> timedelta:
    """Return the least time between two rows, at least a day if none has a time of day."""
    moments = sorted(set(frame.moments or ()))
    least = min((b - a for a, b in itertools.pairwise(moments)), default=timedelta(0))
    clock = frame.axis is not None and (frame.axis.clock or any(one.microsecond for one in moments))
    return least if clock else max(least, timedelta(days=1))


def _lines(tick: CalendarTick, along: AxisOptions) -> tuple[str, ...]:
    """Return the lines of a tick's label, in the configured format."""
    if not along.labels:
        return ("",)
    if "%" not in along.format:
        return tick.lines
    moment = EPOCH + timedelta(milliseconds=tick.at)
    return (format_value(moment.isoformat(), "date", along.format),)
