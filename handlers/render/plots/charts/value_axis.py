"""Value axis: ticks, labels and ends of numbers; scales: the pixels of values and of places along them."""

from __future__ import annotations

import itertools
import math
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from handlers.render.plots.charts.calendar_ticks import at_of
from handlers.render.plots.data.dates_written import milliseconds, read_date
from handlers.render.plots.data.figures_written import read_number
from handlers.render.plots.data.frame import Frame
from handlers.render.plots.data.numbers import (
    alone,
    axis_labels,
    log_ends,
    log_ticks,
    round_ticks,
    spread_of,
    writer_of,
)
from handlers.render.plots.look.annotations import Annotation
from handlers.render.plots.look.options import AxisOptions, write_number


def share_between(value: float, ends: tuple[float, float], *, log: bool) -> float:
    """Return the position of a value between two ends, 0 to 1 if it is not outside of them.

    It is in the middle of equal ends, as those of large equal values are.
    """
    low, high = ends
    if low == high:
        return 0.5
    return math.log(value / low) / math.log(high / low) if log else (value - low) / (high - low)


@dataclass(frozen=True, slots=True)
class ValueAxis:
    """Ticks of a value axis with their labels; `domain` is its two ends.

    With `turned`, the axis is reversed.
    """

    ticks: tuple[float, ...]
    labels: tuple[str, ...]
    domain: tuple[float, float]
    log: bool = False
    grid: bool = True
    turned: bool = False

    @property
    def has_zero(self) -> bool:
        """Whether zero is on the axis."""
        low, high = self.domain
        return not self.log and low <= 0 <= high

    def position(self, value: float, length: float) -> float:
        """Return the pixels from the left or lower end of an axis of a length."""
        share = share_between(value, self.domain, log=self.log)
        return (1 - share if self.turned else share) * length


@dataclass
class Box:
    """The box of the marks in the chart, in pixels, and the vertical value axis."""

    left: float
    top: float
    width: float
    height: float
    axis: ValueAxis

    @property
    def right(self) -> float:
        """The right edge."""
        return self.left + self.width

    @property
    def bottom(self) -> float:
        """The lower edge."""
        return self.top + self.height

    def y(self, value: float) -> float:
        """Return the pixels of a value from the chart's top."""
        return self.bottom - self.axis.position(value, self.height)


@dataclass
class Plane(Box):
    """A box of marks between two axes: it also has a horizontal one, of numbers, moments or row numbers."""

    along: ValueAxis

    def x(self, value: float) -> float:
        """Return the pixels of a value from the chart's left."""
        return self.left + self.along.position(value, self.width)


UNSET = AxisOptions()
FEW_TICKS = 2
"""Most ticks of an axis that ends at its data, because its next tick may be far beyond them."""
MOST_TRIED = 7


def ticks_over(height: float) -> int:
    """Return the usual number of ticks of a vertical axis."""
    return max(1 if height < 44 else 2, min(6, round(height / 62)))


def value_axis(
    values: Iterable[float | None],
    count: int,
    unit: str = "",
    *,
    zero: bool = True,
    settings: AxisOptions = UNSET,
) -> ValueAxis:
    """Return the axis of values with about `count` ticks, or as configured; it includes every value.

    With `zero` it includes 0; otherwise only if the data begin near 0.
    """
    low, high = spread_of([*values, *settings.at, *settings.reach])
    if settings.log and low > 0:
        return _log_axis(low, high, count, unit, settings)
    if zero or (0 < low < 0.35 * high and settings.low is None):
        low, high = min(0.0, low), max(0.0, high)
    low = low if settings.low is None else min(low, settings.low)
    high = high if settings.high is None else max(high, settings.high)
    inner = inner_ticks(low, high) if count <= FEW_TICKS and not (settings.at or settings.count) else ()
    if inner:
        return ValueAxis(inner, tick_labels(inner, unit, settings), (low, high), grid=settings.ticks)
    ticks = list(settings.at) or round_ticks(low, high, settings.count or count)
    end = high
    if not settings.at and settings.high is None:
        if len(ticks) > 2 and high <= ticks[-2] + 0.35 * (ticks[1] - ticks[0]):
            ticks = ticks[:-1]
        end = max(ticks[-1], high)
    start = low if settings.at or settings.low is not None else ticks[0]
    end = end if end > start else start + 1.0
    ticks = [tick for tick in ticks if start <= tick <= end] or [start, end]
    return ValueAxis(tuple(ticks), tick_labels(ticks, unit, settings), (start, end), grid=settings.ticks)


def inner_ticks(low: float, high: float) -> tuple[float, ...]:
    """Return the fewest round ticks, at least two, between two ends; empty if there are not two."""
    tried = (round_ticks(low, high, count) for count in range(FEW_TICKS, MOST_TRIED))
    between = (tuple(tick for tick in ticks if low <= tick <= high) for ticks in tried)
    return next((inner for inner in between if len(inner) >= FEW_TICKS), ())


def _log_axis(low: float, high: float, count: int, unit: str, settings: AxisOptions) -> ValueAxis:
    """Return a logarithmic axis of values above 0."""
    low = min([low, *([settings.low] if settings.low and settings.low > 0 else [])])
    high = max(high, settings.high or high)
    ticks = [tick for tick in settings.at if tick > 0] or log_ticks(low, high, settings.count or count)
    wanted, ends = bool(settings.at), log_ends(low, high)
    domain = (low if wanted or settings.low else ends[0], high if wanted or settings.high else ends[1])
    domain = domain if domain[1] > domain[0] else (domain[0], domain[0] * 10)
    ticks = [tick for tick in ticks if domain[0] <= tick <= domain[1]]
    ticks = ticks if len(ticks) > 1 or wanted else [*domain]
    labels = tick_labels(ticks, unit, settings, alike=False)
    return ValueAxis(tuple(ticks), labels, domain, True, settings.ticks)


def tick_labels(
    ticks: Sequence[float], unit: str, settings: AxisOptions, *, alike: bool = True
) -> tuple[str, ...]:
    """Return labels of ticks: empty, in the configured format, or with `alike` in one size."""
    if not settings.labels:
        return ("",) * len(ticks)
    if settings.format:
        return tuple(write_number(tick, settings.format) for tick in ticks)
    if not alike:
        return tuple(alone(tick, unit) for tick in ticks)
    return tuple(map(writer_of(ticks, unit), ticks) if settings.at else axis_labels(ticks, unit))


Across = Callable[[str], tuple[float, float] | None]
"""Function that returns the left and right pixels of a place by its name; None if there is no such place."""


@dataclass(frozen=True, slots=True)
class Scales:
    """The box of the marks in pixels, and the positions of values and places in it.

    `upward` returns pixels from the top, or from the left for horizontal (`lying`) bars. `named` is whether
    the axes already have names. `at` returns pixels from the left of places that are numbers. `left` and
    `top` are those of the box in the chart.
    """

    width: float
    height: float
    upward: Callable[[float], float]
    across: Across
    lying: bool = False
    named: bool = False
    at: Callable[[float], float] | None = None
    left: float = 0.0
    top: float = 0.0

    def y(self, value: float) -> float:
        """Return the pixels of a value from the top of the chart."""
        return self.top + self.upward(value)


def rows_across(frame: Frame, width: float) -> Across:
    """Return the positions of rows side by side: by their names, or by days between them."""
    step = width / max(1, frame.height)
    rows = _rows_by_name(frame)
    moments = [at_of(moment) for moment in frame.moments or ()]
    ordered = all(a <= b for a, b in itertools.pairwise(moments))

    def across(words: str) -> tuple[float, float] | None:
        row = rows.get(words.strip().casefold())
        moment = read_date(words) if row is None and moments and ordered else None
        if moment is not None:
            row = bisect_right(moments, milliseconds(moment)) - 1
        return None if row is None or row < 0 else (row * step, (row + 1) * step)

    return across


def _rows_by_name(frame: Frame) -> dict[str, int]:
    """Return the first row of each name, in any case."""
    return {name.strip().casefold(): row for row, name in reversed(list(enumerate(frame.categories)))}


def along_line(frame: Frame, axis: ValueAxis, width: float) -> Across:
    """Return the positions along an axis of days, of numbers, or of names one step apart."""
    names = _rows_by_name(frame)
    by_day, by_number = frame.moments is not None, frame.numbers_along is not None

    def place_of(words: str) -> float | None:
        if by_day:
            moment = read_date(words)
            return None if moment is None else float(milliseconds(moment))
        if by_number:
            return read_number(words)
        row = names.get(words.strip().casefold())
        return None if row is None else float(row)

    return _between_ends(axis, width, place_of)


def _between_ends(axis: ValueAxis, width: float, place_of: Callable[[str], float | None]) -> Across:
    """Return the positions of the places on an axis."""

    def across(words: str) -> tuple[float, float] | None:
        place, (low, high) = place_of(words), axis.domain
        if place is None or not low <= place <= high:
            return None
        at = axis.position(place, width)
        return at, at

    return across


def crossed_axes(box: Plane) -> Scales:
    """Return the scales of a box between two axes of numbers."""
    return replace(scales_along(box, _between_ends(box.along, box.width, read_number)), named=True)


def scales_along(box: Plane, across: Across) -> Scales:
    """Return the scales of a box between two axes."""
    return replace(scales_of(box, across), at=partial(box.along.position, length=box.width))


def scales_of(box: Box, across: Across) -> Scales:
    """Return the scales of a box over places along it."""
    return Scales(
        box.width, box.height, lambda value: box.y(value) - box.top, across, left=box.left, top=box.top
    )


def dashed_from(across: Across, notes: Iterable[Annotation]) -> float:
    """Return the pixel of the box from which lines are dashed; infinity if no note sets one."""
    spans = [across(note.start) for note in notes if note.dashed]
    return min((span[0] for span in spans if span is not None), default=math.inf)
