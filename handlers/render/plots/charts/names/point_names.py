"""Names of points: inside their circles, or beside them where they hide nothing; the rest have none."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from handlers.render.plots.charts.value_axis import Box
from handlers.render.plots.look.style import Style

MOST_NAMED = 14

Edges = tuple[float, float, float, float]
"""Left, top, right and bottom."""


@dataclass(frozen=True, slots=True)
class PlacedCircle:
    """A point: its place and radius in pixels, its name and its colour."""

    x: float
    y: float
    radius: float
    name: str
    color: str


@dataclass(frozen=True, slots=True)
class PlacedName:
    """The name of a point: where it begins, the middle of its height, the text, and its colour."""

    x: float
    y: float
    text: str
    color: str


def sort_outward(circles: Sequence[PlacedCircle], area: Box) -> list[PlacedCircle]:
    """The circles from the outermost to those in the middle of most."""
    x, y = (median(places) for places in ([one.x for one in circles], [one.y for one in circles]))

    def apart(one: PlacedCircle) -> float:
        return math.hypot((one.x - x) / area.width, (one.y - y) / area.height)

    return sorted(circles, key=apart, reverse=True)


def place_point_names(
    style: Style, circles: Sequence[PlacedCircle], area: Edges, weight: int = 400
) -> list[PlacedName]:
    """The names of the first circles in an area, each where it touches no circle but its own."""
    taken: list[Edges] = []
    names = []
    for circle in circles[:MOST_NAMED]:
        others = [other for other in circles if other is not circle]
        for box, inside in _spaces(style, circle, weight) if circle.name else ():
            if _free(box, taken, others if inside else circles, area):
                taken.append(box)
                color = style.palette.on(circle.color) if inside else style.palette.ink
                names.append(PlacedName(box[0], (box[1] + box[3]) / 2, circle.name, color))
                break
    return names


def _spaces(style: Style, circle: PlacedCircle, weight: int) -> list[tuple[Edges, bool]]:
    """Boxes in which a name may stand, best first; and whether that is inside the circle."""
    x, y, reach, half = circle.x, circle.y, circle.radius, style.label * 0.6
    width = style.text(circle.name, weight)
    ends, level = (y - reach - half - 2, y + reach + half + 2), (x - width / 2, x, x - width)
    starts = [
        (x + reach + 4, y),
        (x - reach - 4 - width, y),
        *((left, end) for left in level for end in ends),
    ]
    outside = [((left, middle - half, left + width, middle + half), False) for left, middle in starts]
    if reach * 1.8 > width:
        return [((x - width / 2, y - half, x + width / 2, y + half), True), *outside]
    return outside


def _free(box: Edges, taken: Sequence[Edges], circles: Sequence[PlacedCircle], area: Edges) -> bool:
    """Whether a box is in the area and touches neither names nor circles."""
    left, top, right, bottom = box
    if left < area[0] or top < area[1] or right > area[2] or bottom > area[3]:
        return False
    if any(left < other[2] and other[0] < right and top < other[3] and other[1] < bottom for other in taken):
        return False
    return all(
        max(left - one.x, 0, one.x - right) ** 2 + max(top - one.y, 0, one.y - bottom) ** 2 >= one.radius**2
        for one in circles
    )
