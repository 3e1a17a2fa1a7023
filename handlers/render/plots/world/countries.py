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
FILE, NAMES = Path(__file__).with_name("countries.json"), Path(__file__).with_name("country_names.json")
LONGEST = 80
BETWEEN = frozenset(("and", "of", "the"))
SHORT = {
    "dem": "democratic", "eq": "equatorial", "fed": "federated", "is": "islands", "isl": "islands",
    "n": "north", "rep": "republic", "s": "south", "st": "saint", "sts": "states", "w": "western",
}  # fmt: skip
"""Words that statistics shorten."""
FORMS = frozenset((
    "arab", "bolivarian", "commonwealth", "confederation", "cooperative", "democratic", "duchy", "federal",
    "federated", "federation", "federative", "grand", "hashemite", "independent", "islamic", "kingdom",
    "oriental", "peoples", "plurinational", "principality", "republic", "socialist", "state", "states",
    "sultanate", "union",
))  # fmt: skip
"""Words about the form of a state, which its usual name has not."""
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
    """The country of a code of two or three letters or three digits, or of its English name, in any case.

    Its names are those that it has with the World Bank, the UN, the IMF and in ISO 3166, and former ones.
    """
    joined, words, plain = _name_keys(text)
    named = _by_name()
    found = _by_code().get(joined) or named.get(joined) or named.get(words)
    return found or (named.get(plain) if plain not in _shared_names() else None)


@cache
def _by_code() -> Mapping[str, Country]:
    found: dict[str, Country] = {}
    for one in countries():
        for code in (one.alpha2, one.alpha3, one.numeric, one.numeric.lstrip("0")):
            found.setdefault(code.casefold(), one)
    return {code: one for code, one in found.items() if code}


@cache
def _by_name() -> Mapping[str, Country]:
    found: dict[str, Country] = {}
    others: dict[str, list[str]] = json.loads(NAMES.read_text("utf-8"))
    for one in countries():
        for name in (one.name, *others.get(one.alpha2, ())):
            joined, words, _ = _name_keys(name)
            found.setdefault(joined, one)
            found.setdefault(words, one)
    return found


@cache
def _shared_names() -> frozenset[str]:
    """Names that are several countries' where a republic or a kingdom stands before them."""
    return frozenset(("", *(_name_keys(name)[1] for name in ("China", "Congo", "Korea", "Taiwan, China"))))


def _name_keys(text: str) -> tuple[str, str, str]:
    """A name in small letters without accents: whole, its sorted words, and those without its form of state.

    As the order of words does not count, `Korea, Rep.` is the `Republic of Korea`.
    """
    plain = unicodedata.normalize("NFKD", text[:LONGEST]).casefold()
    plain = "".join(sign for sign in plain if not unicodedata.combining(sign) and sign not in "'\u2019")
    split = "".join(sign if sign.isalnum() else " " for sign in plain).split()
    words = sorted(SHORT.get(word, word) for word in split if word not in BETWEEN)
    return "".join(split), " ".join(words), " ".join(word for word in words if word not in FORMS)


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
