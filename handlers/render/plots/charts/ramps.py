"""Ramps: colours of values from low to high, or outward from zero."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from handlers.render.plots.charts.chart import KeyEntry
from handlers.render.plots.charts.value_axis import share_between
from handlers.render.plots.data.numbers import spread_of
from handlers.render.plots.look.colors import EVEN, ValueColors
from handlers.render.plots.look.options import ChartOptions
from handlers.render.plots.look.palette import on_ramp
from handlers.render.plots.look.style import Style

STEPS = 12
"""Steps of a ramp in a key between its ends."""


LEAST_SIDE = 0.2
"""Least share of the range on each side of zero for two-sided colours."""


@dataclass(frozen=True, slots=True)
class Ramp:
    """Colours of values: from low to high, or outward from zero if it divides them well.

    `ends` are the least and the greatest value, which its key shows.
    """

    low: float
    high: float
    stops: tuple[str, ...]
    ends: tuple[float, float]
    two_sided: bool = False
    log: bool = False
    bounds: tuple[float, ...] = ()
    told: tuple[str, ...] = ()

    def color(self, value: float) -> str:
        """Return the colour of a value."""
        return on_ramp(self.stops, self.share(value))

    def share(self, value: float) -> float:
        """Return the share of the ramp at which a value is."""
        if self.bounds:
            return self._class_share(bisect_right(self.bounds, value))
        if self.high == self.low:
            return 0.5
        return share_between(value, (self.low, self.high), log=self.log)

    def _class_share(self, index: int) -> float:
        """Return the share of a class: even steps, or even ones on each side of zero."""
        last = len(self.bounds)
        if not self.two_sided:
            return index / last
        below, above = bisect_left(self.bounds, 0.0), bisect_right(self.bounds, 0.0)
        if index < above:
            return 0.5 * index / above
        return 1 - 0.5 * (last - index) / (last - below) if index > below else 0.5

    def classes(self, options: ChartOptions) -> list[tuple[float, str]]:
        """Return a value and the words of each class, from the lowest; none for continuous colours."""
        if not self.bounds:
            return []
        write = options.write_key if options.key_format else options.writer(self.bounds)
        words = [write(one) for one in self.bounds]
        between = [f"{low}\u2009\u2013\u2009{high}" for low, high in pairwise(words)]
        samples = (math.nextafter(self.bounds[0], -math.inf), *self.bounds)
        return list(zip(samples, [f"< {words[0]}", *between, f"\u2265 {words[-1]}"], strict=True))

    def key(self, options: ChartOptions, missing: KeyEntry | None = None) -> tuple[KeyEntry, ...]:
        """Return the ramp with its ends, and zero if it is two-sided; then the entry of missing values."""
        first, last = self.ends
        more = (missing,) if missing else ()
        if self.bounds:
            classes = self.classes(options)
            return (*(KeyEntry("square", self.color(value), text) for value, text in classes), *more)
        if first == last:
            return (KeyEntry("square", self.color(first), options.write_key(first)), *more)
        middle = 0.0 if self.two_sided else self._power() if self.log else None
        sides = [(first, last)] if middle is None else [(first, middle), (middle, last)]
        ramps = [
            KeyEntry(
                "ramp", self.color(end), options.write_key(end),
                start="" if at else options.write_key(start),
                stops=tuple(self.color(self.between(start, end, step / STEPS)) for step in range(STEPS + 1)),
            )
            for at, (start, end) in enumerate(sides)
        ]  # fmt: skip
        return (*ramps, *more)

    def between(self, start: float, end: float, share: float) -> float:
        """Return the value at a share of the way between two."""
        return start * (end / start) ** share if self.log else start + (end - start) * share

    def _power(self) -> float:
        """Return a power of ten in the middle of the ramp, or the middle itself if none is in the ramp."""
        middle = math.sqrt(self.low * self.high)
        power = 10.0 ** round(math.log10(middle))
        return power if self.low < power < self.high else middle


def ramp_of(style: Style, values: Sequence[float | None], scale: ValueColors = EVEN) -> Ramp:
    """Return the ramp of values, two-sided about zero if each side has more than a few values."""
    low, high = spread_of(values)
    bounds = scale.bounds_of(value for value in values if value is not None)
    told: tuple[str, ...] = ()
    if scale.classes and len(bounds) + 1 < scale.classes:
        told = (f"config/colors/scale: the values make {len(bounds) + 1} classes, not {scale.classes}",)
    if scale.log and low <= 0:
        told = ("config/colors/scale: log needs values above 0",)
    return replace(_ramp(style, low, high), bounds=bounds, told=told, log=scale.log and low > 0)


def _ramp(style: Style, low: float, high: float) -> Ramp:
    if min(-low, high) > LEAST_SIDE * (high - low):
        reach = max(-low, high)
        return Ramp(-reach, reach, style.palette.diverging, (low, high), two_sided=True)
    return Ramp(low, high, style.palette.ramp, (low, high))
