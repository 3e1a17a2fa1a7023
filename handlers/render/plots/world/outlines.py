"""Outlines of places, and equal-area projections of them.

The world uses Equal Earth (Savric, Patterson and Jenny, 2018), parts of it Albers' conic projection.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

A1, A2, A3, A4 = 1.340264, -0.081106, 0.000893, 0.003796
ROOT = math.sqrt(3) / 2
FLAT = 0.02
"""Cone constant below which Albers' projection is cylindrical, which is its limit at the equator."""
HALF = 180.0
Spot = tuple[float, float]
Ring = tuple[Spot, ...]
Projection = Callable[[float, float], Spot]


@dataclass(frozen=True, slots=True)
class Outline:
    """A place of a map: `rings` are its outlines as longitudes and latitudes; small places have none."""

    code: str
    name: str
    place: Spot
    rings: tuple[Ring, ...]

    @property
    def largest(self) -> Ring:
        """The ring around the largest part."""
        return max(self.rings, key=lambda ring: abs(_area(ring)), default=())

    @property
    def middle(self) -> Spot:
        """Longitude and latitude of the middle of the largest part."""
        ring = self.largest
        area, x, y = _area(ring), 0.0, 0.0
        for (x0, y0), (x1, y1) in zip(ring, (*ring[1:], *ring[:1]), strict=True):
            cross = x0 * y1 - x1 * y0
            x, y = x + (x0 + x1) * cross, y + (y0 + y1) * cross
        return (x / (6 * area), y / (6 * area)) if area else self.place


def _area(ring: Ring) -> float:
    """Return the signed area in square degrees, negative if clockwise (half the sum of cross products)."""
    turned = (*ring[1:], *ring[:1])
    return sum(x0 * y1 - x1 * y0 for (x0, y0), (x1, y1) in zip(ring, turned, strict=True)) / 2


def project(longitude: float, latitude: float) -> Spot:
    """Return the position of longitude and latitude in degrees: right and down; the world is 5.41 by 2.63."""
    theta = math.asin(ROOT * math.sin(math.radians(latitude)))
    square = theta * theta
    sixth = square * square * square
    below = A1 + 3 * A2 * square + sixth * (7 * A3 + 9 * A4 * square)
    x = math.radians(longitude) * math.cos(theta) / (ROOT * below)
    y = theta * (A1 + A2 * square + sixth * (A3 + A4 * square))
    return x, -y


@dataclass(frozen=True, slots=True)
class Albers:
    """The equal-area conic projection around a meridian, true to scale along two parallels."""

    meridian: float
    south: float
    north: float

    def project(self, longitude: float, latitude: float) -> Spot:
        """Return the position of longitude and latitude in degrees: right and down."""
        first, last = (math.sin(math.radians(one)) for one in (self.south, self.north))
        cone, sine = (first + last) / 2, math.sin(math.radians(latitude))
        east = math.radians(longitude - self.meridian)
        if abs(cone) < FLAT:
            true = math.cos(math.radians((self.south + self.north) / 2))
            return east * true, -sine / true
        radius = math.sqrt(max(0.0, 1 + first * last - 2 * cone * sine)) / cone
        return radius * math.sin(east * cone), radius * math.cos(east * cone)


def projection_of(outlines: Iterable[Outline]) -> Projection:
    """Return the projection for a map of these places: Albers' for a part of the world, else Equal Earth."""
    spots = [spot for one in outlines for ring in (*one.rings, (one.place,)) for spot in ring]
    west, east = min(x for x, _ in spots), max(x for x, _ in spots)
    south, north = min(y for _, y in spots), max(y for _, y in spots)
    if east - west > HALF or north - south > HALF / 2:
        middle = (west + east) / 2 if east > HALF else 0.0
        return lambda longitude, latitude: project(longitude - middle, latitude)
    sixth = (north - south) / 6
    return Albers((west + east) / 2, south + sixth, north - sixth).project


def unbroken(outlines: Sequence[Outline]) -> tuple[Outline, ...]:
    """Return the same places, with longitudes beyond 180\u00b0 if their map would be split there."""
    rings = [ring for one in outlines for ring in (*one.rings, (one.place,))]
    ends = sorted((min(x for x, _ in ring), max(x for x, _ in ring)) for ring in rings)
    gap, start, reach = 0.0, -HALF, ends[0][1]
    for west, east in ends:
        if west - reach > gap:
            gap, start = west - reach, west
        reach = max(reach, east)
    around = ends[0][0] + 2 * HALF - reach
    return tuple(outlines) if gap <= around else tuple(_turn(one, start) for one in outlines)


def _turn(one: Outline, start: float) -> Outline:
    """Return a place with every ring that begins west of a meridian moved by 360 degrees."""

    def turn(ring: Ring) -> Ring:
        return tuple((x + 2 * HALF, y) for x, y in ring) if min(x for x, _ in ring) < start else ring

    return Outline(one.code, one.name, turn((one.place,))[0], tuple(map(turn, one.rings)))
