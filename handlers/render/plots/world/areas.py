"""Areas of maps: all countries of the world, or the first-level regions of some countries.

Outlines of countries (1:110m) and of regions, and names of regions, are from Natural Earth (public domain).
Regions also have names from CLDR, and codes of ISO 3166-2. NUTS codes of first-level regions are also known.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import accumulate
from pathlib import Path
from typing import TypeVar

from handlers.render.plots.look.data_settings import BadSetting
from handlers.render.plots.world.outlines import Outline, Ring, unbroken
from vfs.normal_form import normalize

COUNTRY_FILE = Path(__file__).with_name("countries.json")
NAMES = Path(__file__).with_name("country_names.json")
T = TypeVar("T", bound=Outline)
LONGEST = 80
BETWEEN = frozenset(("and", "of", "the"))
SHORT = {
    "dem": "democratic", "eq": "equatorial", "fed": "federated", "is": "islands", "isl": "islands",
    "n": "north", "rep": "republic", "s": "south", "st": "saint", "sts": "states", "w": "western",
}  # fmt: skip
"""Abbreviations in country names of statistics, and their words."""
FORMS = frozenset((
    "arab", "bolivarian", "commonwealth", "confederation", "cooperative", "democratic", "duchy", "federal",
    "federated", "federation", "federative", "grand", "hashemite", "independent", "islamic", "kingdom",
    "oriental", "peoples", "plurinational", "principality", "republic", "socialist", "state", "states",
    "sultanate", "union",
))  # fmt: skip
"""Words about the form of a state, which are not part of its short name."""
HUNDREDTHS = 100.0


@dataclass(frozen=True, slots=True)
class Country(Outline):
    """A country or territory; its `code` has two letters."""

    alpha3: str
    numeric: str


@cache
def countries() -> tuple[Country, ...]:
    """Return all countries and territories, in the order of their codes."""
    return tuple(
        Country(alpha2, name, (place[0], place[1]), tuple(map(_country_ring, rings)), alpha3, numeric)
        for alpha2, alpha3, numeric, name, place, rings in json.loads(COUNTRY_FILE.read_text("utf-8"))
    )


def find_country(text: str) -> Country | None:
    """Return the country with a code of two or three letters or three digits, or with an English name.

    Case is ignored. Names are from the World Bank, the UN, the IMF and ISO 3166, including former names.
    """
    joined, words, plain = name_keys(text)
    named = _by_name()
    found = _by_code().get(joined) or named.get(joined) or named.get(words)
    return found or (named.get(plain) if plain not in _shared_names() else None)


@cache
def _by_code() -> Mapping[str, Country]:
    found: dict[str, Country] = {}
    for one in countries():
        for code in (one.code, one.alpha3, one.numeric, one.numeric.lstrip("0")):
            found.setdefault(code.casefold(), one)
    return {code: one for code, one in found.items() if code}


@cache
def _by_name() -> Mapping[str, Country]:
    found: dict[str, Country] = {}
    others: dict[str, list[str]] = json.loads(NAMES.read_text("utf-8"))
    for one in countries():
        index_names(found, one, (one.name, *others.get(one.code, ())))
    return found


def index_names(known: dict[str, T], one: T, names: Iterable[str]) -> None:
    """Add a place under each of its names that is not in use."""
    for name in names:
        for key in filter(None, name_keys(name)[:2]):
            known.setdefault(key, one)


@cache
def _shared_names() -> frozenset[str]:
    """Return names that several countries have after words for the form of their state."""
    return frozenset(("", *(name_keys(name)[1] for name in ("China", "Congo", "Korea", "Taiwan, China"))))


def name_keys(text: str) -> tuple[str, str, str]:
    """Return a name in lower case without accents: whole, sorted words, and without its form of state.

    Because the order of words is ignored, `Korea, Rep.` is the same as `Republic of Korea`.
    """
    plain = normalize("NFKD", text[:LONGEST]).casefold()
    plain = "".join(sign for sign in plain if not unicodedata.combining(sign) and sign not in "'\u2019")
    split = "".join(sign if sign.isalnum() else " " for sign in plain).split()
    words = sorted(SHORT.get(word, word) for word in split if word not in BETWEEN)
    return "".join(split), " ".join(words), " ".join(word for word in words if word not in FORMS)


def _country_ring(flat: list[int]) -> Ring:
    """Return a ring from alternating longitudes and latitudes in hundredths of a degree."""
    return tuple((x / HUNDREDTHS, y / HUNDREDTHS) for x, y in zip(flat[::2], flat[1::2], strict=True))


FILE = Path(__file__).with_name("regions.json")
THOUSANDTHS = 1000.0
AUTO, WORLD = ("", "auto"), "world"
SEVERAL = 2
"""Least number of letters of a region's code that is known without its country."""


@dataclass(frozen=True, slots=True)
class MapArea:
    """The part of the world that a map shows: its outlines and names; `whole` is for the whole world.

    `own` is for an area that was sent with the plot.
    """

    outlines: tuple[Outline, ...]
    names: Mapping[str, Outline]
    whole: bool = False
    own: bool = False

    def find(self, text: str) -> Outline | None:
        """Return the place with a code or a name."""
        if self.whole:
            return find_country(text)
        joined, words, _ = name_keys(text)
        return self.names.get(joined) or self.names.get(words)

    def count(self, texts: Iterable[str]) -> int:
        """Return the number of texts that are places of the area."""
        return sum(self.find(text) is not None for text in texts)


@cache
def world() -> MapArea:
    """Return the area of all countries."""
    return MapArea(countries(), {}, whole=True)


def read_area(text: str) -> tuple[str, ...]:
    """Return the countries whose regions `map/area` requests, or `world`; empty if the data decide.

    Raises BadSetting.
    """
    if text.strip().casefold() in (*AUTO, WORLD):
        return (WORLD,) if text.strip().casefold() == WORLD else ()
    codes = []
    for number, line in enumerate(text.splitlines(), 1):
        for part in filter(None, map(str.strip, line.split(","))):
            country = find_country(part)
            if country is None or country.code not in _regions():
                reason = f'"{part[:60]}" is no country with regions: write world, auto, or countries such as'
                raise BadSetting(number, line.index(part) + 1, f"{reason} US or Germany, France")
            codes.append(country.code)
    return tuple(codes)


def area_of(asked: Sequence[str], texts: Iterable[str]) -> MapArea:
    """Return the requested area; without a request, the one that contains most of the texts.

    Candidates are all countries, the regions of one country, and the regions of several by their full codes.
    """
    if asked:
        return world() if asked[0] == WORLD else _area(tuple(asked))
    sent = list(dict.fromkeys(text for text in texts if text.strip()))
    keys = [name_keys(text)[:2] for text in sent]

    def count_known(names: Mapping[str, object]) -> int:
        return sum(joined in names or words in names for joined, words in keys)

    homes = [home for joined, _ in keys if (home := _countries_of_codes().get(joined))]
    one = max(_regions(), key=lambda code: (count_known(_area((code,)).names), -len(_regions()[code])))
    chosen = tuple(dict.fromkeys(homes)) if len(homes) > count_known(_area((one,)).names) else (one,)
    return _area(chosen) if _area(chosen).count(sent) > world().count(sent) else world()


@lru_cache(maxsize=512)
def _area(codes: tuple[str, ...]) -> MapArea:
    """Return the area of the regions of some countries; short codes are known if they are unambiguous."""
    names: dict[str, Outline] = {}
    outlines = [(outline, words) for code in codes for outline, words in _regions()[code]]
    for outline, words in outlines:
        index_names(names, outline, words)
    for outline, _ in outlines:
        country, _, code = outline.code.partition("-")
        names.setdefault(f"{country}{code}".casefold(), outline)
        if len(codes) == 1 and len(code) >= SEVERAL and code.isalpha():
            names.setdefault(code.casefold(), outline)
    return MapArea(tuple(outline for outline, _ in outlines), names)


@cache
def _countries_of_codes() -> Mapping[str, str]:
    """Return the country of each code of ISO 3166-2 or NUTS."""
    return {
        key: code
        for code, regions in _regions().items()
        for outline, words in regions
        for key in (name_keys(outline.code)[0], *(one.casefold() for one in words if one[:2] == code))
    }


@cache
def _regions() -> Mapping[str, tuple[tuple[Outline, tuple[str, ...]], ...]]:
    """Return the regions of each country with all of their names, the usual one first."""
    made = {}
    for country, regions in json.loads(FILE.read_text("utf-8")).items():
        outlines = []
        for code, names, flat in regions:
            rings = tuple(map(_ring, flat))
            full = f"{country}-{code or names[0]}"
            outlines.append(Outline(full, names[0], rings[0][0], rings))
        whole = unbroken(outlines)
        made[country] = tuple((one, tuple(row[1])) for one, row in zip(whole, regions, strict=True))
    return made


def _ring(flat: list[int]) -> Ring:
    """Return a ring from alternating longitudes and latitudes: differences in thousandths of a degree."""
    along, across = accumulate(flat[::2]), accumulate(flat[1::2])
    return tuple((x / THOUSANDTHS, y / THOUSANDTHS) for x, y in zip(along, across, strict=True))
