"""Thinning of long lines: fewer points that look the same."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence

Point = tuple[float, float | None]


def spread_rows(count: int, most: int) -> list[int]:
    """About so many rows of many, evenly spread, and the last."""
    step = max(1, math.ceil(count / most))
    return sorted({*range(0, count, step), *range(count - 1, count)})


def runs(points: Iterable[Point]) -> Iterator[list[tuple[float, float]]]:
    """The points between gaps."""
    for known, some in itertools.groupby(points, key=lambda point: point[1] is not None):
        if known:
            yield [(at, value) for at, value in some if value is not None]


def thin(points: Sequence[Point], most: int) -> list[Point]:
    """The smallest and the largest of each stretch, and its gaps: what the eye sees of a long line."""
    if len(points) <= most:
        return list(points)
    size = len(points) / (most / 2)
    kept: list[Point] = []
    for index in range(math.ceil(len(points) / size)):
        stretch = points[int(index * size) : max(int(index * size) + 1, int((index + 1) * size))]
        present = [(value, at) for at, value in stretch if value is not None]
        if len(present) < len(stretch):
            kept.append(next(point for point in stretch if point[1] is None))
        if present:
            kept += [(at, value) for value, at in {min(present), max(present)}]
    return sorted(kept, key=lambda point: point[0])
