"""Squarified rectangles: areas in proportion to amounts, nearly squares (Bruls et al., 2000)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Area:
    """A rectangle, in pixels."""

    left: float
    top: float
    width: float
    height: float

    def inside(self, edge: float, head: float = 0.0) -> Area:
        """The rectangle within edges, below a head."""
        width, height = max(0.0, self.width - 2 * edge), max(0.0, self.height - 2 * edge - head)
        return Area(self.left + edge, self.top + edge + head, width, height)


def squarify(amounts: Sequence[float], area: Area) -> list[Area]:
    """A rectangle for each amount, which are above 0 and fall in size; together they fill the area."""
    total = sum(amounts)
    if not amounts or total <= 0:
        return []
    scale = area.width * area.height / total
    sizes = [amount * scale for amount in amounts]
    found, start = list[Area](), 0
    while start < len(sizes):
        side = min(area.width, area.height)
        end, held = start + 1, sizes[start]
        worst = _worst(sizes[start], sizes[start], held, side)
        while end < len(sizes):
            larger = held + sizes[end]
            wider = _worst(sizes[start], sizes[end], larger, side)
            if wider > worst:
                break
            end, held, worst = end + 1, larger, wider
        placed, area = _lay(sizes[start:end], held, area)
        found += placed
        start = end
    return found


def _worst(most: float, least: float, held: float, side: float) -> float:
    """Ratio of the sides of the rectangle of a row that is least like a square."""
    if not held or not side or not least:
        return float("inf")
    return max(side * side * most / (held * held), held * held / (side * side * least))


def _lay(sizes: Sequence[float], held: float, area: Area) -> tuple[list[Area], Area]:
    """A row of rectangles along the shorter side, and what is left beside it."""
    upright = area.width >= area.height
    side = area.height if upright else area.width
    depth = held / side if side else 0.0
    at, placed = 0.0, list[Area]()
    for size in sizes:
        length = size / depth if depth else 0.0
        placed.append(
            Area(area.left, area.top + at, depth, length)
            if upright
            else Area(area.left + at, area.top, length, depth)
        )
        at += length
    if upright:
        return placed, Area(area.left + depth, area.top, max(0.0, area.width - depth), area.height)
    return placed, Area(area.left, area.top + depth, area.width, max(0.0, area.height - depth))
