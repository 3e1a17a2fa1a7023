"""Ground of a map: the part of the world that is shown, and the outlines of its countries."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from handlers.render.plots.charts.marks.canvas import Canvas
from handlers.render.plots.drawn.map_places import MapPlace
from handlers.render.plots.look.style import Style
from handlers.render.plots.world.countries import Country, countries
from handlers.render.plots.world.equal_earth import project

WHOLE = 0.55
"""The share of the world's width from which on all of it is shown."""
AIR = 0.06
LEAST_SPAN = 0.5
ANTARCTICA = "AQ"


@dataclass(frozen=True, slots=True)
class Ground:
    """The shown part: its left top and its scale from projected places to pixels, and its size in pixels."""

    left: float
    top: float
    scale: float
    width: float
    height: float

    def at(self, longitude: float, latitude: float) -> tuple[float, float]:
        """The pixels of a place."""
        x, y = project(longitude, latitude)
        return (x - self.left) * self.scale, (y - self.top) * self.scale

    def shows(self, spots: Sequence[tuple[float, float]]) -> bool:
        """Whether a ring in pixels reaches into the shown part."""
        xs, ys = [x for x, _ in spots], [y for _, y in spots]
        return max(xs) > 0 and min(xs) < self.width and max(ys) > 0 and min(ys) < self.height


def ground_of(style: Style, places: Sequence[MapPlace], box: float | None, margin: float = 0.0) -> Ground:
    """The part of the world around the places, with a margin; all of it where they lie far apart."""
    width = float(style.inner)
    left, top, right, bottom = _bounds(places)
    world_left, world_right = project(-180, 0)[0], project(180, 0)[0]
    if right - left > WHOLE * (world_right - world_left):
        south = any(place.country is not None and place.country.alpha2 == ANTARCTICA for place in places)
        left, right = world_left, world_right
        top, bottom = project(0, 83.7)[1], project(0, -90 if south else -56)[1]
    height = box or min(width * (bottom - top) / (right - left), style.height(0.62))
    inner = max(width * 0.4, width - 2 * margin), max(height * 0.4, height - 2 * margin)
    scale = min(inner[0] / (right - left), inner[1] / (bottom - top))
    middle_x, middle_y = (left + right) / 2, (top + bottom) / 2
    return Ground(middle_x - width / scale / 2, middle_y - height / scale / 2, scale, width, height)


def _bounds(places: Sequence[MapPlace]) -> tuple[float, float, float, float]:
    """Left, top, right and bottom of the places and of their countries, with air around."""
    spots = [project(*spot) for place in places for spot in _corners(place)]
    xs, ys = [x for x, _ in spots], [y for _, y in spots]
    x, y = (min(xs) + max(xs)) / 2, (min(ys) + max(ys)) / 2
    wide = max(max(xs) - min(xs), LEAST_SPAN) * (1 + 2 * AIR) / 2
    tall = max(max(ys) - min(ys), LEAST_SPAN * 0.6) * (1 + 2 * AIR) / 2
    return x - wide, y - tall, x + wide, y + tall


def _corners(place: MapPlace) -> Iterable[tuple[float, float]]:
    ring = place.country.largest if place.country is not None else ()
    return ring or (place.at,)


def draw_ground(
    canvas: Canvas,
    style: Style,
    ground: Ground,
    color: Callable[[Country], str],
    tip: Callable[[Country], str],
) -> dict[str, float]:
    """The outlines of all countries that are in sight, each in its colour; their sizes in pixels by code."""
    sizes: dict[str, float] = {}
    for country in countries():
        rings = [[ground.at(*spot) for spot in ring] for ring in country.rings]
        seen = [ring for ring in rings if ground.shows(ring)]
        if seen:
            drawn = "".join(_path(ring) for ring in seen)
            canvas.path("shape", drawn, fill=color(country), stroke=style.palette.paper, width=0.6,
                        tip=tip(country))  # fmt: skip
            xs = [x for ring in seen for x, _ in ring]
            ys = [y for ring in seen for _, y in ring]
            sizes[country.alpha2] = max(max(xs) - min(xs), max(ys) - min(ys))
    return sizes


def clip(svg: str, ground: Ground) -> str:
    """Elements of which nothing beyond the shown part is drawn."""
    size = f'width="{ground.width:g}" height="{ground.height:g}"'
    return f'<clipPath id="map"><rect {size}/></clipPath><g clip-path="url(#map)">{svg}</g>'


def _path(ring: Sequence[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{x:.1f},{y:.1f}" for x, y in ring) + "Z"
