"""Countries: their ISO 3166 codes, names, and outlines of Natural Earth at 1:110m (public domain)."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from handlers.render.plots.world.outlines import Outline, Ring
from vfs.normal_form import normalize

FILE, NAMES = Path(__file__).with_name("countries.json"), Path(__file__).with_name("country_names.json")
LONGEST = 80
BETWEEN = frozenset(("and", "of", "the"))
SHORT = {
    "dem": "democratic", "eq": "equatorial", "fed": "federated", "is": "islands", "isl": "islands",
    "n": "north", "rep": "republic", "s": "south", "st": "saint", "sts": "states", "w": "western",
}  # fmt: skip
"""Words that statistics abbreviate."""
FORMS = frozenset((
    "arab", "bolivarian", "commonwealth", "confederation", "cooperative", "democratic", "duchy", "federal",
    "federated", "federation", "federative", "grand", "hashemite", "independent", "islamic", "kingdom",
    "oriental", "peoples", "plurinational", "principality", "republic", "socialist", "state", "states",
    "sultanate", "union",
))  # fmt: skip
"""Words about the form of a state, which are not part of its usual name."""
HUNDREDTHS = 100.0


@dataclass(frozen=True, slots=True)
class Country(Outline):
    """A country or territory; its code is the one with two letters."""

    alpha3: str
    numeric: str


@cache
def countries() -> tuple[Country, ...]:
    """Return all countries and territories, in the order of their codes."""
    return tuple(
        Country(alpha2, name, (place[0], place[1]), tuple(map(_ring, rings)), alpha3, numeric)
        for alpha2, alpha3, numeric, name, place, rings in json.loads(FILE.read_text("utf-8"))
    )


def find_country(text: str) -> Country | None:
    """Return the country of a code of two or three letters or three digits, or of its English name.

    Case is ignored. Names are those of the World Bank, the UN, the IMF and ISO 3166, and former ones.
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
        for name in (one.name, *others.get(one.code, ())):
            joined, words, _ = name_keys(name)
            found.setdefault(joined, one)
            found.setdefault(words, one)
    return found


@cache
def _shared_names() -> frozenset[str]:
    """Return names that several countries have, with a republic or a kingdom before them."""
    return frozenset(("", *(name_keys(name)[1] for name in ("China", "Congo", "Korea", "Taiwan, China"))))


def name_keys(text: str) -> tuple[str, str, str]:
    """Return a name in lower case without accents: whole, sorted words, and without its form of state.

    As the order of words is ignored, `Korea, Rep.` is the `Republic of Korea`.
    """
    plain = normalize("NFKD", text[:LONGEST]).casefold()
    plain = "".join(sign for sign in plain if not unicodedata.combining(sign) and sign not in "'\u2019")
    split = "".join(sign if sign.isalnum() else " " for sign in plain).split()
    words = sorted(SHORT.get(word, word) for word in split if word not in BETWEEN)
    return "".join(split), " ".join(words), " ".join(word for word in words if word not in FORMS)


def _ring(flat: list[int]) -> Ring:
    """Return a ring from alternating longitudes and latitudes in hundredths of a degree."""
    return tuple((x / HUNDREDTHS, y / HUNDREDTHS) for x, y in zip(flat[::2], flat[1::2], strict=True))
