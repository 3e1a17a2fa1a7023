"""Language of a render: number formats, names of months and days, and translations of fixed texts.

This module formats all numbers and dates in renders. `writing_in` sets the language of a render. English
needs no data; the data of another language is loaded at its first use.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from babel import Locale, UnknownLocaleError

NBSP = "\u00a0"
LONGEST_TAG = 35
PARTS = re.compile(r'"[^"]*"|\d+(?:,\d{3})*', re.ASCII)
"""Names in quotation marks, and numbers."""
LAST = re.compile(r'(?<=") and (?:(\d[\d,]*) more)?')
"""The words before the last of several names, or before the number of further names."""
SAME_WORDS = {"nb": "no", "nn": "no"}
"""Languages without translations, and the languages whose translations they use."""
ENGLISH_SIZES = ((1e12, 1e12, "tn"), (1e9, 1e9, "bn"), (1e6, 1e6, "m"), (1e4, 1e3, "k"))
LEAST_SIZE = 1e4
"""The smallest number that is written with a size word."""
MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


@dataclass(frozen=True, slots=True)
class Language:
    """A language for numbers, dates and words.

    Each of `sizes` is the smallest number, the divisor and the word. `months` are names for use alone,
    `in_dates` those next to a day. The patterns of dates are those of Babel, as formats of `%`. `is_chosen`
    is whether a user chose the language.
    """

    tag: str = "en"
    group: str = ","
    decimal: str = "."
    money_first: bool = True
    money_gap: str = ""
    percent_gap: str = ""
    sizes: tuple[tuple[float, float, str], ...] = ENGLISH_SIZES
    months: tuple[str, ...] = MONTHS
    short_months: tuple[str, ...] = tuple(month[:3] for month in MONTHS)
    in_dates: tuple[str, ...] = tuple(month[:3] for month in MONTHS)
    days: tuple[str, ...] = DAYS
    short_days: tuple[str, ...] = tuple(day[:3] for day in DAYS)
    quarters: tuple[str, ...] = ("Q1", "Q2", "Q3", "Q4")
    day_month: str = "%(d)s %(MMM)s"
    month_year: str = "%(MMM)s %(y)s"
    day_month_year: str = "%(d)s %(MMM)s %(y)s"
    words: Mapping[str, str] = field(default_factory=dict)
    is_chosen: bool = False

    def marks(self, digits: str) -> str:
        """Return English digits, such as 1,204.5, with the signs of the language."""
        if (self.group, self.decimal) == (",", "."):
            return digits
        return digits.translate({ord(","): self.group, ord("."): self.decimal})

    def sides_of(self, sign: str, *, money: bool, tight: bool) -> tuple[str, str]:
        """Return the parts of a unit before and after a number."""
        if money:
            return (sign + self.money_gap, "") if self.money_first else ("", self.money_gap + sign)
        return "", (self.percent_gap if sign == "%" else "" if tight else NBSP) + sign

    def percent(self, share: float, decimals: int = 0) -> str:
        """Return a share of a whole in per cent."""
        return f"{self.marks(f'{share:.{decimals}%}'[:-1])}{self.percent_gap}%"

    def date(self, moment: date, pattern: str) -> str:
        """Return a date in one of the patterns of the language."""
        month = moment.month - 1
        alone = self.short_months[month]
        named = {"MMM": self.in_dates[month], "LLL": alone, "LLLL": self.months[month]}
        numbers = {"d": moment.day, "M": moment.month, "y": moment.year}
        padded = {"dd": f"{moment.day:02}", "MM": f"{moment.month:02}"}
        return pattern % {**numbers, **padded, **named}

    def say(self, words: str) -> str:
        """Return a fixed text in the language; unchanged without a translation.

        Numbers and names in quotation marks in it are placeholders. The text after a colon, a
        reason or names, is translated separately.
        """
        if not self.words or not words:
            return words
        known = self.words.get(words)
        if known is not None:
            return known
        pattern = self.words.get(PARTS.sub("{}", words))
        if pattern is not None:
            parts = PARTS.findall(words)
            return pattern.format(*(part if part[0] == '"' else self.marks(part) for part in parts))
        head, colon, rest = words.partition(": ")
        said = self.say(head) if colon else head
        if said == head:
            return words
        reason = rest.removesuffix(".") if self.say(rest) == rest else rest
        return f"{said}: {self._say_names(self.say(reason))}{rest[len(reason) :]}"

    def _say_names(self, names: str) -> str:
        """Return names in quotation marks, with the words between them translated."""
        return LAST.sub(
            lambda found: self.say(" and ") + (self.say(f"{found[1]} others") if found[1] else ""), names
        )


ENGLISH = Language()
_WRITTEN: ContextVar[Language] = ContextVar("language", default=ENGLISH)


def language() -> Language:
    """Return the language of the current render; English outside of a render."""
    return _WRITTEN.get()


def say(words: str) -> str:
    """Return a fixed text in the language of the current render."""
    return _WRITTEN.get().say(words)


def from_to(low: str, high: str) -> str:
    """Return a range from its two ends."""
    return say("%s to %s") % (low, high)


def write_count(number: int) -> str:
    """Return a number with its digits grouped."""
    return language().marks(f"{number:,}")


@contextmanager
def writing_in(tag: str) -> Iterator[None]:
    """Write in a language during the block; English for "" and for languages without words."""
    found = read_tag(tag)
    with _set_language(ENGLISH if found is None else replace(load(found), is_chosen=True)):
        yield


@contextmanager
def writing_codes() -> Iterator[None]:
    """Write numbers in English format during the block, as format codes of spreadsheets need it."""
    now = language()
    sizes = tuple((first, by, word) for first, by, word in now.sizes if by in (1e3, 1e6, 1e9, 1e12))
    with _set_language(replace(now, group=",", decimal=".", sizes=sizes)):
        yield


@contextmanager
def _set_language(chosen: Language) -> Iterator[None]:
    token = _WRITTEN.set(chosen)
    try:
        yield
    finally:
        _WRITTEN.reset(token)


def read_tag(text: str) -> str | None:
    """Return the tag of a language that charts can use, such as de or pt-BR; None for any other text."""
    if not text or len(text) > LONGEST_TAG:
        return None
    try:
        found = Locale.parse(text.strip(), sep="-")
    except (UnknownLocaleError, ValueError):
        return None
    has_words = SAME_WORDS.get(found.language, found.language) in list_languages()
    return str(found).replace("_", "-") if has_words else None


@cache
def list_languages() -> tuple[str, ...]:
    """Return the languages with a translation of all words of charts."""
    return tuple(sorted({"en", *_table()["no value"]}))


@cache
def _table() -> Mapping[str, Mapping[str, str]]:
    """Return all translations by English text and language."""
    table: Mapping[str, Mapping[str, str]] = json.loads(
        Path(__file__).with_name("words.json").read_text("utf-8")
    )
    return table


def words_in(tag: str) -> Mapping[str, str]:
    """Return all translations into a language, by English text."""
    name = tag.lower().partition("-")[0]
    other = SAME_WORDS.get(name, name)
    found = ((english, by.get(name) or by.get(other)) for english, by in _table().items())
    return {english: word for english, word in found if word is not None}


def translate(words: str, tag: str) -> str:
    """Return words in a language, or in English if there is no translation."""
    name = tag.lower().partition("-")[0]
    known = _table().get(words, {})
    return known.get(name) or known.get(SAME_WORDS.get(name, name)) or words


@lru_cache(maxsize=32)
def load(tag: str) -> Language:
    """Return the language of a tag from `read_tag`."""
    locale = Locale.parse(tag, sep="-")
    if locale.language == "en":
        return replace(ENGLISH, tag=tag)
    symbols, months, dates = locale.number_symbols["latn"], locale.months, locale.datetime_skeletons
    money, percent = (
        one.pattern for one in (locale.currency_formats["standard"], locale.percent_formats[None])
    )
    gap = NBSP if re.search(r"¤[\s\u00a0]|[\s\u00a0]¤", money) else ""
    return Language(
        tag=tag,
        group=symbols["group"],
        decimal=symbols["decimal"],
        money_first=money.startswith("¤"),
        money_gap=gap,
        percent_gap=NBSP if re.search(r"[\s\u00a0]%", percent) else "",
        sizes=tuple(_sizes(locale.compact_decimal_formats["short"]["other"])),
        months=_names(months["stand-alone"]["wide"]),
        short_months=_names(months["stand-alone"]["abbreviated"]),
        in_dates=_names(months["format"]["abbreviated"]),
        days=_names(locale.days["stand-alone"]["wide"]),
        short_days=_names(locale.days["stand-alone"]["abbreviated"]),
        quarters=_names(locale.quarters["stand-alone"]["abbreviated"]),
        day_month=dates["MMMd"].format,
        month_year=dates["yMMM"].format,
        day_month_year=dates["yMMMd"].format,
        words=words_in(tag),
    )


def _names(names: Mapping[int, str]) -> tuple[str, ...]:
    return tuple(names[at] for at in sorted(names))


def _sizes(patterns: Mapping[str, Any]) -> Iterator[tuple[float, float, str]]:
    """Yield the sizes of a language, the largest first: 1000000 as `000 W` has the divisor 10000."""
    found: dict[tuple[float, str], float] = {}
    for first, pattern in sorted((float(power), str(one.pattern)) for power, one in patterns.items()):
        digits = len(pattern) - len(pattern.lstrip("0"))
        word = pattern[digits:].replace("'", "")
        if word:
            found.setdefault((first / 10.0 ** (digits - 1), word), max(LEAST_SIZE, first))
    for (divisor, word), first in reversed(found.items()):
        yield first, divisor, word
