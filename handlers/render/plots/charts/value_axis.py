"""Value axis: ticks, labels and ends of an axis of numbers, by its data and by what is wished of it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from handlers.render.plots.data.numbers import (
    alone,
    axis_labels,
    log_ends,
    log_ticks,
    round_ticks,
    spread_of,
    writer_of,
)
from handlers.render.plots.look.options import AxisOptions, write_number


@dataclass(frozen=True, slots=True)
class ValueAxis:
    """Ticks of a value axis with their labels; the domain reaches from the first tick to the data's end.

    The values of one that is `turned` grow the other way.
    """

    ticks: tuple[float, ...]
    labels: tuple[str, ...]
    domain: tuple[float, float]
    log: bool = False
    grid: bool = True
    turned: bool = False

    @property
    def has_zero(self) -> bool:
        """Return whether zero lies on the axis."""
        low, high = self.domain
        return not self.log and low <= 0 <= high

    def position(self, value: float, length: float) -> float:
        """Return the pixels from the left or lower end of an axis of that length."""
        low, high = self.domain
        share = math.log(value / low) / math.log(high / low) if self.log else (value - low) / (high - low)
        return (1 - share if self.turned else share) * length


@dataclass
class Box:
    """The box of the marks in the chart, in pixels, and the axis of the values, which runs upward."""

    left: float
    top: float
    width: float
    height: float
    axis: ValueAxis

    @property
    def right(self) -> float:
        """Return the right edge."""
        return self.left + self.width

    @property
    def bottom(self) -> float:
        """Return the lower edge."""
        return self.top + self.height

    def y(self, value: float) -> float:
        """Return the pixels of a value from the chart's top."""
        return self.bottom - self.axis.position(value, self.height)


NO_WISHES = AxisOptions()
FEW_TICKS = 2
"""Ticks up to which an axis ends where its data do, as the next tick may be most of the box away."""
MOST_TRIED = 7


def ticks_over(height: float) -> int:
    """The usual number of ticks of an upright axis."""
    return max(1 if height < 44 else 2, min(6, round(height / 62)))


def value_axis(
    values: Iterable[float | None],
    count: int,
    unit: str = "",
    *,
    zero: bool = True,
    wishes: AxisOptions = NO_WISHES,
) -> ValueAxis:
    """The axis of some values in about so many ticks, or as it is wished; it never leaves a value out.

    With `zero` it includes 0; without, it still does when the data begin near it.
    """
    low, high = spread_of([*values, *wishes.at, *wishes.reach])
    if wishes.log and low > 0:
        return _log_axis(low, high, count, unit, wishes)
    if zero or (0 < low < 0.35 * high and wishes.low is None):
        low, high = min(0.0, low), max(0.0, high)
    low = low if wishes.low is None else min(low, wishes.low)
    high = high if wishes.high is None else max(high, wishes.high)
    inner = inner_ticks(low, high) if count <= FEW_TICKS and not (wishes.at or wishes.count) else ()
    if inner:
        return ValueAxis(inner, tick_labels(inner, unit, wishes), (low, high), grid=wishes.ticks)
    ticks = list(wishes.at) or round_ticks(low, high, wishes.count or count)
    end = high
    if not wishes.at and wishes.high is None:
        if len(ticks) > 2 and high <= ticks[-2] + 0.35 * (ticks[1] - ticks[0]):
            ticks = ticks[:-1]
        end = max(ticks[-1], high)
    start = low if wishes.at or wishes.low is not None else ticks[0]
    end = end if end > start else start + 1.0
    ticks = [tick for tick in ticks if start <= tick <= end] or [start, end]
    return ValueAxis(tuple(ticks), tick_labels(ticks, unit, wishes), (start, end), grid=wishes.ticks)


def inner_ticks(low: float, high: float) -> tuple[float, ...]:
    """The fewest round ticks, of two and more, that lie between two ends; none where these are one."""
    tried = (round_ticks(low, high, count) for count in range(FEW_TICKS, MOST_TRIED))
    between = (tuple(tick for tick in ticks if low <= tick <= high) for ticks in tried)
    return next((inner for inner in between if len(inner) >= FEW_TICKS), ())


def _log_axis(low: float, high: float, count: int, unit: str, wishes: AxisOptions) -> ValueAxis:
    """A logarithmic axis of values above 0; each tick is a multiple of the one before."""
    low = min([low, *([wishes.low] if wishes.low and wishes.low > 0 else [])])
    high = max(high, wishes.high or high)
    ticks = [tick for tick in wishes.at if tick > 0] or log_ticks(low, high, wishes.count or count)
    wished, ends = bool(wishes.at), log_ends(low, high)
    domain = (low if wished or wishes.low else ends[0], high if wished or wishes.high else ends[1])
    domain = domain if domain[1] > domain[0] else (domain[0], domain[0] * 10)
    ticks = [tick for tick in ticks if domain[0] <= tick <= domain[1]]
    ticks = ticks if len(ticks) > 1 or wished else [*domain]
    return ValueAxis(tuple(ticks), tick_labels(ticks, unit, wishes, alike=False), domain, True, wishes.ticks)


def tick_labels(
    ticks: Sequence[float], unit: str, wishes: AxisOptions, *, alike: bool = True
) -> tuple[str, ...]:
    """Labels of ticks: none, by the format that is wished, or in one magnitude."""
    if not wishes.labels:
        return ("",) * len(ticks)
    if wishes.format:
        return tuple(write_number(tick, wishes.format) for tick in ticks)
    if not alike:
        return tuple(alone(tick, unit) for tick in ticks)
    return tuple(map(writer_of(ticks, unit), ticks) if wishes.at else axis_labels(ticks, unit))
