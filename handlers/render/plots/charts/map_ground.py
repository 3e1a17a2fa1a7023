"""Ground of maps: the part that is shown, scaled to its space, and the outlines on it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from statistics import median

from handlers.render.plots.charts.marks.canvas import Canvas
from handlers.render.plots.look.style import Style
from handlers.render.plots.world.areas import MapArea
from handlers.render.plots.world.outlines import Outline, Projection, Spot, project, projection_of

WHOLE = 0.55
"""Share of the world's width above which the whole world is shown."""
AIR = 0.06
LEAST_SPAN = 0.5
ANTARCTICA = "AQ"
MOST, FAR = 0.7, 3.0
"""Regions without values are left out beyond FAR times the distance within which the share MOST is."""


@dataclass(frozen=True, slots=True)
class MapPlace:
    """A place with its name, its value, its longitude and latitude, and its outline if it has one."""

    name: str
    value: float
    at: Spot
    outline: Outline | None = None


@dataclass(frozen=True, slots=True)
class Ground:
    """The shown part: its top left, its scale from projected places to pixels, and its size in pixels.

    `crop` is its part around the places, in pixels: left, top, width and height.
    """

    left: float
    top: float
    scale: float
    width: float
    height: float
    crop: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)
    project: Projection = project

    def at(self, longitude: float, latitude: float) -> Spot:
        """Return the pixels of a place."""
        x, y = self.project(longitude, latitude)
        return (x - self.left) * self.scale, (y - self.top) * self.scale

    def shows(self, spots: Sequence[Spot]) -> bool:
        """Return whether a ring in pixels overlaps the shown part."""
        xs, ys = [x for x, _ in spots], [y for _, y in spots]
        return max(xs) > 0 and min(xs) < self.width and max(ys) > 0 and min(ys) < self.height


def ground_of(
    style: Style, area: MapArea, places: Sequence[MapPlace], box: float | None, margin: float = 0.0
) -> Ground:
    """Return the part of an area around the places, with a margin; the whole world if they are far apart.

    A map of regions shows all of them, except far islands without values.
    """
    width = float(style.inner)
    flat: Projection = project
    spots = [spot for place in places for spot in _corners(place)]
    if not area.whole:
        shown = {one.code: one for one in (*_near(area), *(place.outline for place in places)) if one}
        flat = projection_of(shown.values())
        spots += [spot for one in shown.values() for ring in (*one.rings, (one.place,)) for spot in ring]
    left, top, right, bottom = _bounds([flat(*spot) for spot in spots], LEAST_SPAN if area.whole else 0.0001)
    world_left, world_right = project(-180, 0)[0], project(180, 0)[0]
    if area.whole and right - left > WHOLE * (world_right - world_left):
        south = any(place.outline is not None and place.outline.code == ANTARCTICA for place in places)
        left, right = world_left, world_right
        top, bottom = project(0, 83.7)[1], project(0, -90 if south else -56)[1]
    height = box or min(width * (bottom - top) / (right - left), style.height(0.62))
    inner = max(width * 0.4, width - 2 * margin), max(height * 0.4, height - 2 * margin)
    scale = min(inner[0] / (right - left), inner[1] / (bottom - top))
    middle_x, middle_y = (left + right) / 2, (top + bottom) / 2
    whole = right - left >= world_right - world_left
    wide = width if whole else min(width, max(right - left, bottom - top) * scale)
    tall = height if whole else min(height, (bottom - top) * scale)
    crop = (width - wide) / 2, (height - tall) / 2, wide, tall
    start = middle_x - width / scale / 2, middle_y - height / scale / 2
    return Ground(*start, scale, width, height, crop, flat)


def _near(area: MapArea) -> Sequence[Outline]:
    """Return the regions that are not far from most others; of a custom map all."""
    outlines = area.outlines
    if area.own:
        return outlines
    spots = [one.middle for one in outlines]
    x, y = median(x for x, _ in spots), median(y for _, y in spots)
    apart = [max(abs(one - x), abs(other - y)) for one, other in spots]
    reach = FAR * sorted(apart)[int(len(apart) * MOST)]
    return [one for one, far in zip(outlines, apart, strict=True) if far <= reach]


def _bounds(spots: Sequence[Spot], least: float) -> tuple[float, float, float, float]:
    """Return left, top, right and bottom of projected places, with a margin."""
    xs, ys = [x for x, _ in spots], [y for _, y in spots]
    x, y = (min(xs) + max(xs)) / 2, (min(ys) + max(ys)) / 2
    wide = max(max(xs) - min(xs), least) * (1 + 2 * AIR) / 2
    tall = max(max(ys) - min(ys), least * 0.6) * (1 + 2 * AIR) / 2
    return x - wide, y - tall, x + wide, y + tall


def _corners(place: MapPlace) -> Iterable[Spot]:
    ring = place.outline.largest if place.outline is not None else ()
    return ring or (place.at,)


def draw_ground(
    canvas: Canvas,
    area: MapArea,
    ground: Ground,
    color: Callable[[Outline], str],
    tip: Callable[[Outline], str],
) -> dict[str, float]:
    """Draw the visible outlines of an area, each in its colour; return their sizes in pixels by code."""
    sizes: dict[str, float] = {}
    for one in area.outlines:
        rings = [[ground.at(*spot) for spot in ring] for ring in one.rings]
        seen = [ring for ring in rings if ground.shows(ring)]
        if seen:
            drawn = "".join(_path(ring) for ring in seen)
            canvas.path("shape", drawn, fill=color(one), stroke=canvas.style.palette.paper, width=0.6,
                        tip=tip(one))  # fmt: skip
            xs = [x for ring in seen for x, _ in ring]
            ys = [y for ring in seen for _, y in ring]
            sizes[one.code] = max(max(xs) - min(xs), max(ys) - min(ys))
    return sizes


def clip(svg: str, left: float, top: float, width: float, height: float) -> str:
    """Return elements clipped to a part of the drawing."""
    size = f'x="{left:g}" y="{top:g}" width="{width:g}" height="{height:g}"'
    return f'<clipPath id="map"><rect {size}/></clipPath><g clip-path="url(#map)">{svg}</g>'


def _path(ring: Sequence[Spot]) -> str:
    return "M" + "L".join(spot for spot, _ in groupby(f"{x:.1f},{y:.1f}" for x, y in ring)) + "Z"
