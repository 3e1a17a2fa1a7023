"""Ramps: colours of values from low to high, or outward from zero."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from handlers.render.plots.charts.chart import KeyEntry
from handlers.render.plots.data.numbers import spread_of
from handlers.render.plots.look.options import ChartOptions
from handlers.render.plots.look.palette import on_ramp
from handlers.render.plots.look.style import Style

STEPS = 12
"""Parts of a ramp in a key between its ends."""


LEAST_SIDE = 0.2
"""The share of the range beyond zero from which on its two sides have colours of their own."""


@dataclass(frozen=True, slots=True)
class Ramp:
    """Colours of values: from low to high, or outward from zero where it parts them well.

    `ends` are the least and the greatest value, between which its key shows it.
    """

    low: float
    high: float
    stops: tuple[str, ...]
    ends: tuple[float, float]
    two_sided: bool = False

    def color(self, value: float) -> str:
        """The colour of a value."""
        return on_ramp(
            self.stops, (value - self.low) / (self.high - self.low) if self.high > self.low else 0.5
        )

    def key(self, options: ChartOptions, missing: KeyEntry | None = None) -> tuple[KeyEntry, ...]:
        """The ramp with both of its ends, and zero where it parts two sides; then what has no value."""
        first, last = self.ends
        more = (missing,) if missing else ()
        if first == last:
            return (KeyEntry("square", self.color(first), options.write_key(first)), *more)
        sides = [(first, 0.0), (0.0, last)] if self.two_sided else [(first, last)]
        ramps = [
            KeyEntry(
                "ramp", self.color(end), options.write_key(end),
                start="" if at else options.write_key(start),
                stops=tuple(self.color(start + (end - start) * step / STEPS) for step in range(STEPS + 1)),
            )
            for at, (start, end) in enumerate(sides)
        ]  # fmt: skip
        return (*ramps, *more)


def ramp_of(style: Style, values: Sequence[float | None]) -> Ramp:
    """The ramp of some values: two-sided and even about zero where both sides are more than a few values."""
    low, high = spread_of(values)
    if min(-low, high) > LEAST_SIDE * (high - low):
        reach = max(-low, high)
        return Ramp(-reach, reach, style.palette.diverging, (low, high), two_sided=True)
    return Ramp(low, high, style.palette.ramp, (low, high))
