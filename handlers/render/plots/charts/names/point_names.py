"""Names of points: inside their circles, or beside them where they hide nothing; the rest have none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from handlers.render.plots.look.style import Style

MOST_NAMED = 14
BEYOND = 14
"""Pixels by which a name may stand out of the plot at its right."""

Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class PlacedCircle:
    """A point: its place and radius in pixels, its name and its colour."""

    x: float
    y: float
    radius: float
    name: str
    color: str


def place_point_names(
    style: Style, circles: Sequence[PlacedCircle], size: tuple[float, float]
) -> list[dict[str, Any]]:
    """The names of the first circles in a plot of that size, each where it touches no circle but its own."""
    taken: list[Box] = []
    names = []
    for circle in circles[:MOST_NAMED]:
        others = [other for other in circles if other is not circle]
        for box, inside in _spaces(style, circle) if circle.name else ():
            if _free(box, taken, others if inside else circles, size):
                taken.append(box)
                color = style.palette.on(circle.color) if inside else style.palette.ink
                middle = (box[1] + box[3]) / 2
                names.append({"x": box[0], "y": middle, "text": circle.name, "color": color})
                break
    return names


def _spaces(style: Style, circle: PlacedCircle) -> list[tuple[Box, bool]]:
    """Boxes in which a name may stand, best first; and whether that is inside the circle."""
    x, y, reach, width, half = circle.x, circle.y, circle.radius, style.text(circle.name), style.label * 0.6
    starts = [
        (x + reach + 4, y),
        (x - reach - 4 - width, y),
        (x - width / 2, y - reach - half - 2),
        (x - width / 2, y + reach + half + 2),
    ]
    outside = [((left, middle - half, left + width, middle + half), False) for left, middle in starts]
    if reach * 1.8 > width:
        return [((x - width / 2, y - half, x + width / 2, y + half), True), *outside]
    return outside


def _free(box: Box, taken: Sequence[Box], circles: Sequence[PlacedCircle], size: tuple[float, float]) -> bool:
    left, top, right, bottom = box
    if left < 0 or right > size[0] + BEYOND or top < 0 or bottom > size[1]:
        return False
    if any(left < other[2] and other[0] < right and top < other[3] and other[1] < bottom for other in taken):
        return False
    return all(
        max(left - one.x, 0, one.x - right) ** 2 + max(top - one.y, 0, one.y - bottom) ** 2 >= one.radius**2
        for one in circles
    )
