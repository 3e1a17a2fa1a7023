"""Trends: straight lines through values by linear least squares, with their goodness of fit."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

LEAST = 3
"""Least number of values for a trend, as a line fits any two values exactly."""
Spot = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Trend:
    """The trend line of a series (by its number) from its first to its last place; `fit` is R²."""

    name: str
    series: int
    start: Spot
    end: Spot
    fit: float


def trend_of(name: str, series: int, spots: Iterable[Spot], logs: tuple[bool, bool]) -> Trend | None:
    """Return the trend of places and values; axes may be logarithmic.

    None for fewer than three values, or if all are at one place.
    """
    along, upward = (math.log if log else float for log in logs)
    moved = [(along(x), upward(y)) for x, y in spots if (x > 0 or not logs[0]) and (y > 0 or not logs[1])]
    low, high = (min(x for x, _ in moved), max(x for x, _ in moved)) if len(moved) >= LEAST else (0.0, 0.0)
    if low == high:
        return None
    # The square of a number above about 1e150 is not a finite float.
    wide = high - low
    tall = max(abs(y) for _, y in moved) or 1.0
    level, slope, fit = _line([((x - low) / wide, y / tall) for x, y in moved])
    ends = (level * tall, (level + slope) * tall)
    back_along, back_upward = (math.exp if log else float for log in logs)
    start, end = ((back_along(x), back_upward(y)) for x, y in zip((low, high), ends, strict=True))
    return Trend(name, series, start, end, fit)


def _line(spots: list[Spot]) -> tuple[float, float, float]:
    """Return the value at 0, slope and R² of the line through places scaled to 0 to 1."""
    count = len(spots)
    x0, y0 = math.fsum(x for x, _ in spots) / count, math.fsum(y for _, y in spots) / count
    across = math.fsum((x - x0) ** 2 for x, _ in spots)
    slope = math.fsum((x - x0) * (y - y0) for x, y in spots) / across if across else 0.0
    level = y0 - slope * x0
    whole = math.fsum((y - y0) ** 2 for _, y in spots)
    rest = math.fsum((y - level - slope * x) ** 2 for x, y in spots)
    return level, slope, 1.0 if whole <= 0 else max(0.0, 1 - rest / whole)
