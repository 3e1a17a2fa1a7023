"""The choice of a plot type by pictures, and form fields for settings: a file, or one line of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Any, NamedTuple

from handlers.pages.examples import read_examples
from handlers.rendering.interface import (
    CUSTOM,
    SETTING_WORDS,
    TABLES,
    Understood,
    plot_types,
    reads_setting,
    type_of,
)

OTHER = "other"
"""The choice beside the pictures, for a type that is typed."""

BY_WORD = {kind.word: kind for kind in (*plot_types().values(), type_of(TABLES[0])) if kind.drawing}
PICKED_WORDS = frozenset(BY_WORD)
FURTHER = tuple(word for word in (*plot_types(), *TABLES, CUSTOM) if word not in PICKED_WORDS)
"""Suggestions for a typed type."""


READING = "reading"
SHOWN_FIRST = 6
"""Types that are shown at first."""
PARTS = ("words", READING, "axes", "looks")
FREE = "_"
"""The sign for an end of an axis that is taken from the data."""


class Choice(NamedTuple):
    """A value with its label."""

    value: str
    title: str


@dataclass(frozen=True, slots=True)
class WordField:
    """A form field for the word at `place` (0: all words) of the line of `axis` in a file.

    Without choices its value is typed. Without an axis it is the whole file.
    """

    name: str
    title: str
    rel: str
    choices: Sequence[Choice] = ()
    axis: str = ""
    place: int = 0
    hint: str = ""

    def read(self, text: str) -> str:
        """Return the field's value from a file's text."""
        if not self.axis:
            return text.strip("\n")
        words = _line(text, self.axis)
        if not self.place:
            return " ".join(words)
        word = words[self.place - 1] if len(words) >= self.place else ""
        return "" if word == FREE else word

    def write(self, text: str, value: str) -> str:
        """Return the file's text with another value for the field."""
        said = " ".join(value.split())
        if not self.axis:
            return said
        words = _line(text, self.axis)
        if self.place:
            words = [*words, *[FREE] * (2 - len(words))]
            words[self.place - 1] = said or FREE
            said = "" if set(words) == {FREE} else " ".join(words)
        others = [line for line in text.split("\n") if line.strip() and line.split()[0] != self.axis]
        return "\n".join([*others, f"{self.axis} {said}"] if said else others)


def _line(text: str, axis: str) -> list[str]:
    """Return the words of the last line of an axis, without the axis."""
    found = [line.split()[1:] for line in text.split("\n") if line.split()[:1] == [axis]]
    return found[-1] if found else []


def type_choice(fitting: Sequence[str], picked: str) -> dict[str, Any]:
    """Return the template values of the choice of a type; `fitting` are the types that suit the data."""
    fits = {word: place for place, word in enumerate(fitting)}
    words = sorted(BY_WORD, key=lambda word: fits.get(word, len(fits)))
    if picked in words[SHOWN_FIRST:]:
        words.remove(picked)
        words.insert(SHOWN_FIRST - 1, picked)
    types = [BY_WORD[word] for word in words]
    return {
        "types": types[:SHOWN_FIRST],
        "more_types": types[SHOWN_FIRST:],
        "further": FURTHER,
        "other": OTHER,
        "picked": picked if picked in BY_WORD or not picked else OTHER,
    }


def draft_words(understood: Understood) -> dict[str, Any]:
    """Return the facts beside a preview for the script: how the data were read, and the types that fit."""
    best = BY_WORD[understood.types[0]].title if understood.types else ""
    return {"understood": understood.words, "types": understood.types, "best": best}


@cache
def word_fields(part: str) -> tuple[WordField, ...]:
    """Return the fields of one of the PARTS of the editor."""
    return tuple(_field(**facts) for facts in read_examples("plot_words")[part])


def every_field() -> tuple[WordField, ...]:
    """Return the fields of all parts."""
    return tuple(one for part in PARTS for one in word_fields(part))


def _field(
    *,
    setting: str = "",
    titles: Mapping[str, str] = MappingProxyType({}),
    default: str = "",
    choices: Sequence[Sequence[str]] = (),
    **facts: Any,
) -> WordField:
    """Return a declared field; the setting's first word is its default, unless `titles` has it."""
    found = [Choice(*one) for one in choices]
    if setting:
        words = SETTING_WORDS[setting]
        chosen = words if words[0] in titles else words[1:]
        found = [Choice("", default), *(Choice(word, titles.get(word, word)) for word in chosen)]
    return WordField(choices=tuple(found), **facts)


class ShownField(NamedTuple):
    """A field as a page shows it, with its value. A value without a label gets its own choice."""

    field: WordField
    value: str

    def heeded(self, type: str) -> bool:
        """Return whether a type reads the setting."""
        return reads_setting(type, self.field.rel.removeprefix("config/"))

    @property
    def types(self) -> Sequence[str]:
        """The names of the types that read the setting."""
        return _readers(self.field.rel.removeprefix("config/"))

    @property
    def choices(self) -> Sequence[Choice]:
        """The choices, including the present value."""
        known = self.field.choices
        if not known or any(one.value == self.value for one in known):
            return known
        return (*known, Choice(self.value, self.value))


@cache
def _readers(path: str) -> tuple[str, ...]:
    return tuple(word for word in BY_WORD if reads_setting(word, path))


def shown_fields(fields: Sequence[WordField], texts: Mapping[str, str]) -> list[ShownField]:
    """Return the fields with their values in these texts."""
    return [ShownField(one, one.read(texts.get(one.rel, ""))) for one in fields]


def with_words(texts: Mapping[str, str], sent: Mapping[str, str], seen: Mapping[str, str]) -> dict[str, str]:
    """Return the texts of a form with the values of the changed fields; all else is kept.

    `seen` are the texts as the form had shown them.
    """
    said = dict(texts)
    for one in every_field():
        value = sent.get(one.name)
        if value is not None and value != one.read(seen.get(one.rel, "")):
            said[one.rel] = one.write(said.get(one.rel, ""), value)
    return said
