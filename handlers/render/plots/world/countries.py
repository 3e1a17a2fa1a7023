"""Countries: their ISO 3166 codes, names, and outlines of Natural Earth at 1:110m (public domain).

The projection Equal Earth (Savric, Patterson and Jenny, 2018) keeps the proportions of areas.
"""

from __future__ import annotations

import json
import math
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

A1, A2, A3, A4 = 1.340264, -0.081106, 0.000893, 0.003796
ROOT = math.sqrt(3) / 2
FILE = Path(__file__).parent / "countries.json"
HUNDREDTHS = 100.0
Ring = tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Country:
    """A country or territory; `rings` are its outlines as longitudes and latitudes, none of a small one."""

    alpha2: str
    alpha3: str
    numeric: str
    name: str
    place: tuple[float, float]
    rings: tuple[Ring, ...]

    @property
    def largest(self) -> Ring:
        """The ring around the greatest part."""
        return max(self.rings, key=lambda ring: abs(_area(ring)), default=())

    @property
    def middle(self) -> tuple[float, float]:
        """Longitude and latitude of the middle of the greatest part."""
        ring = self.largest
        if not ring:
            return self.place
        area, x, y = _area(ring), 0.0, 0.0
        for (x0, y0), (x1, y1) in zip(ring, (*ring[1:], ring[0]), strict=True):
            cross = x0 * y1 - x1 * y0
            x, y = x + (x0 + x1) * cross, y + (y0 + y1) * cross
        return (x / (6 * area), y / (6 * area)) if area else self.place


@cache
def countries() -> tuple[Country, ...]:
    """All countries and territories, in the order of their codes."""
    return tuple(
        Country(alpha2, alpha3, numeric, name, (place[0], place[1]), tuple(map(_ring, rings)))
        for alpha2, alpha3, numeric, name, place, rings in json.loads(FILE.read_text("utf-8"))
    )


def find_country(text: str) -> Country | None:
    """The country of a code of two or three letters or three digits, or of its English name, in any case."""
    return _by_word().get(_fold(text))


@cache
def _by_word() -> Mapping[str, Country]:
    found: dict[str, Country] = {}
    for country in countries():
        for word in (
            country.alpha2,
            country.alpha3,
            country.numeric,
            country.numeric.lstrip("0"),
            country.name,
        ):
            if word:
                found.setdefault(_fold(word), country)
    return found


def _fold(text: str) -> str:
    """A word without its case, accents and the signs between its letters."""
    plain = unicodedata.normalize("NFKD", text[:80]).casefold()
    return "".join(sign for sign in plain if sign.isalnum())


def _ring(flat: list[int]) -> Ring:
    """A ring of longitudes and latitudes that stand in turn, in hundredths of a degree."""
    return tuple((x / HUNDREDTHS, y / HUNDREDTHS) for x, y in zip(flat[::2], flat[1::2], strict=True))


def _area(ring: Ring) -> float:
    """Half the sum of the cross products: the area in square degrees, negative when it goes clockwise."""
    return sum(x0 * y1 - x1 * y0 for (x0, y0), (x1, y1) in zip(ring, (*ring[1:], ring[0]), strict=True)) / 2


def project(longitude: float, latitude: float) -> tuple[float, float]:
    """The place of longitude and latitude in degrees: to the right and downward, the world 5.41 by 2.63."""
    theta = math.asin(ROOT * math.sin(math.radians(latitude)))
    square = theta * theta
    sixth = square * square * square
    below = A1 + 3 * A2 * square + sixth * (7 * A3 + 9 * A4 * square)
    x = math.radians(longitude) * math.cos(theta) / (ROOT * below)
    y = theta * (A1 + A2 * square + sixth * (A3 + A4 * square))
    return x, -y
