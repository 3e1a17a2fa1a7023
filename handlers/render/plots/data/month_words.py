"""Names of months and weekdays in the languages in which dates are read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from itertools import product

from babel import Locale

from vfs.normal_form import normalize

LOCALES = ("en", "en_GB", "de", "de_AT", "fr", "fr_CA", "es", "es_PE", "it", "nl")
OTHERS = {"mrz": 3}
"""Abbreviations that Excel writes and CLDR lacks."""
SHORTEST = 3
FORMS = tuple(product(("format", "stand-alone"), ("wide", "abbreviated")))


def plain_word(word: str) -> str:
    """Return the letters of a word without case, accents and points."""
    return "".join(sign for sign in normalize("NFD", word.casefold()) if sign.isalpha())


@cache
def months_by_word() -> Mapping[str, frozenset[int]]:
    """Return the numbers of months by their names, abbreviations and first three letters.

    A word has several numbers if it is short for several months, as `jui` is in French.
    """
    found: dict[str, set[int]] = {word: {month} for word, month in OTHERS.items()}
    for word, month in _names("months"):
        found.setdefault(word, set()).add(month)
        found.setdefault(word[:SHORTEST], set()).add(month)
    return {word: frozenset(months) for word, months in found.items()}


def month_of(word: str) -> int | None:
    """Return the number of the month that a word names; None if it names none, or several."""
    months = months_by_word().get(plain_word(word), frozenset())
    return next(iter(months)) if len(months) == 1 else None


@cache
def _weekdays() -> frozenset[str]:
    return frozenset({"weds", *(word for word, _ in _names("days"))})


@cache
def is_weekday(word: str) -> bool:
    """Return whether a word is a weekday's name, or its first letters."""
    plain = plain_word(word)
    return len(plain) > 1 and any(day.startswith(plain) for day in _weekdays())


def _names(what: str) -> Iterator[tuple[str, int]]:
    for locale in map(Locale.parse, LOCALES):
        for context, width in FORMS:
            for number, name in getattr(locale, what)[context][width].items():
                yield plain_word(name), number
