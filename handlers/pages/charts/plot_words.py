"""Settings of plots in words: fields that stand for a file, or for one line of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from handlers.rendering.interface import SETTING_WORDS

FREE = "_"
"""What stands for an end of an axis that is left to the data."""


class Choice(NamedTuple):
    """A value with what it is called."""

    value: str
    title: str


@dataclass(frozen=True, slots=True)
class WordField:
    """A field in words for the part at `place` (0: the whole rest) of the line of `axis` in a file.

    Without choices it is typed. Without an axis it stands for the whole file.
    """

    name: str
    title: str
    rel: str
    choices: Sequence[Choice] = ()
    axis: str = ""
    place: int = 0
    hint: str = ""

    def read(self, text: str) -> str:
        """Read what the field says out of a file's text."""
        if not self.axis:
            return text.strip("\n")
        words = _line(text, self.axis)
        if not self.place:
            return " ".join(words)
        word = words[self.place - 1] if len(words) >= self.place else ""
        return "" if word == FREE else word

    def write(self, text: str, value: str) -> str:
        """The file's text in which the field says another value."""
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
    """The words of the last line of an axis, without the axis."""
    found = [line.split()[1:] for line in text.split("\n") if line.split()[:1] == [axis]]
    return found[-1] if found else []


def _choices(path: str, titles: Mapping[str, str], default: str) -> tuple[Choice, ...]:
    """The words of a setting; the first of them is the default, unless it has a title."""
    words = SETTING_WORDS[path]
    chosen = words if words[0] in titles else words[1:]
    return (Choice("", default), *(Choice(word, titles.get(word, word)) for word in chosen))


WORDS = (
    WordField("title", "Title", "config/title"),
    WordField("subtitle", "Line below it", "config/subtitle", hint="a unit at its end stands on the axis"),
    WordField("caption", "Caption", "config/caption", hint="stands below"),
)
"""The words around the drawing."""
AXES = (
    WordField("y-low", "Values from", "config/axis/domains", axis="y", place=1),
    WordField("y-high", "to", "config/axis/domains", axis="y", place=2),
    WordField(
        "y-format",
        "Numbers as",
        "config/axis/labels",
        (
            Choice("", "fits the data"),
            Choice(",.0f", "1,234"),
            Choice(",.2f", "1,234.50"),
            Choice(".0%", "12%"),
            Choice(".1%", "12.3%"),
            Choice(".3s", "1.23k"),
            Choice("none", "not at all"),
        ),
        axis="y",
    ),
    WordField(
        "y-scale",
        "Scale",
        "config/axis/scale",
        (Choice("", "even"), Choice("log", "logarithmic")),
        axis="y",
    ),
    WordField(
        "trend",
        "Line through the values",
        "config/trend",
        _choices("trend", {"linear": "straight, by least squares"}, "none"),
    ),
    WordField(
        "sort",
        "Order of rows",
        "config/axis/sort",
        _choices(
            "axis/sort",
            {"value down": "largest first", "value up": "smallest first", "name": "by name"},
            "as in the data",
        ),
    ),
    WordField("x-name", "Name along", "config/axis/names", axis="x"),
    WordField("y-name", "Name of values", "config/axis/names", axis="y"),
    WordField("split", "A panel for each", "config/split/by", hint="the name of a column, or series"),
    WordField(
        "split-axes",
        "Axes of panels",
        "config/split/axes",
        _choices("split/axes", {"own": "each its own"}, "the same"),
    ),
    WordField(
        "map-area", "Map of", "config/map/area", hint="by the places; or world, or countries such as US"
    ),
    WordField("combo", "Lines over bars", "config/combo/line", hint="names of series"),
    WordField(
        "combo-place",
        "These lines stand",
        "config/combo/place",
        _choices("combo/place", {"axis": "on an axis at the right"}, "in a panel above"),
    ),
    WordField(
        "stack",
        "Stacks of",
        "config/axis/stack",
        _choices("axis/stack", {"share": "shares of 100%"}, "values"),
    ),
)
LOOKS = (
    WordField("against", "Compared with", "config/value/against", hint="the name of a row"),
    WordField("than", "In words, more than", "config/value/than", hint="such as last month"),
    WordField(
        "good",
        "Good is",
        "config/value/good",
        _choices("value/good", {"down": "down", "none": "neither way"}, "up"),
    ),
    WordField("figure-format", "Written as", "config/value/format", hint="such as .1%"),
    WordField(
        "value-labels",
        "Values at the ends",
        "config/value/labels",
        _choices("value/labels", {"ends": "totals of stacks, last values of lines"}, "none"),
    ),
    WordField(
        "legend",
        "Names of series",
        "config/legend/type",
        _choices(
            "legend/type",
            {"direct": "beside the marks", "key": "in a key", "none": "nowhere"},
            "where it fits best",
        ),
    ),
    WordField(
        "legend-place",
        "The key stands",
        "config/legend/position",
        _choices("legend/position", {"top": "above", "bottom": "below"}, "as usual"),
    ),
    WordField("language", "Language", "config/lang", hint="such as de or pt-BR"),
    WordField("pack", "Colours", "config/colors/theme", _choices("colors/theme", {}, "curlew")),
    WordField(
        "color-scale", "Colours follow values", "config/colors/scale", hint="such as quantile 5 or log"
    ),
    WordField(
        "ground",
        "Ground",
        "config/bg/type",
        _choices("bg/type", {"none": "none"}, "paper"),
    ),
)
FIELDS = (*WORDS, *AXES, *LOOKS)


class ShownField(NamedTuple):
    """A field as a page shows it, with its value. A value without words has a choice of its own."""

    field: WordField
    value: str

    @property
    def choices(self) -> Sequence[Choice]:
        """The choices, among them the present one."""
        known = self.field.choices
        if not known or any(one.value == self.value for one in known):
            return known
        return (*known, Choice(self.value, self.value))


def shown_fields(fields: Sequence[WordField], texts: Mapping[str, str]) -> list[ShownField]:
    """The fields with what they say of these texts."""
    return [ShownField(one, one.read(texts.get(one.rel, ""))) for one in fields]


def with_words(texts: Mapping[str, str], sent: Mapping[str, str], seen: Mapping[str, str]) -> dict[str, str]:
    """The texts of a form in which the fields that changed say what was chosen; all else stays as it is.

    `seen` are the texts as the form had shown them.
    """
    said = dict(texts)
    for one in FIELDS:
        value = sent.get(one.name)
        if value is not None and value != one.read(seen.get(one.rel, "")):
            said[one.rel] = one.write(said.get(one.rel, ""), value)
    return said
