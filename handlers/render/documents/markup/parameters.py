"""Parameters of sections: their values by type, with a note on invalid ones."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from handlers.render.documents.markup.blocks import PLAIN_BOX, Border, BoxLook, MarkupNote
from handlers.render.documents.markup.section_grammar import FoundTag, Value
from handlers.render.documents.markup.spans import UNNUMBERED, FigureNumber

HUES = ("gray", "red", "orange", "yellow", "green", "teal", "blue", "indigo", "purple", "pink")
SHADES = (50, 100, 200, 300, 400, 500, 600, 700, 800, 900)
COLOR = re.compile(r"#(?:[0-9a-f]{3}|[0-9a-f]{6})")
NAMED = re.compile(r"(?:gr[ae]y|" + "|".join(HUES) + r")(?:-(?:50|[1-9]00))?|black|white")
NUMBER = r"([0-9]{1,4}(?:\.[0-9]{1,3})?|\.[0-9]{1,3})"
LENGTH = re.compile(NUMBER + "(%|px|pt|pc|q|mm|cm|in|em|rem|ex|ch|vh|vw|vmin|vmax)?")
LABEL = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}")
LINK = re.compile(r"(?:https?://|mailto:|#|/(?!/))\S*")
PLACES = {"<": "left", ">": "right", "^": "top", "v": "bottom"}
PLACE = re.compile(r"[<>^v-]{0,2}")
SPACE = re.compile(r"([lrtbxya])([0-5])")
FLAGS = {
    **dict.fromkeys(("true", "yes", "t", "y", "1", "on"), True),
    **dict.fromkeys(("false", "no", "f", "n", "0", "off"), False),
}
ALIGN = {"l": "left", "left": "left", "c": "center", "center": "center", "centre": "center", "r": "right",
         "right": "right"}  # fmt: skip
JUSTIFIED = {**ALIGN, "j": "justify", "justify": "justify"}
MOST_NOTES = 500
T = TypeVar("T")


@dataclass(slots=True)
class Parameters:
    """The parameters of one section; `finish` notes the unknown ones."""

    tag: FoundTag
    notes: list[MarkupNote]
    asked: set[str] = field(default_factory=set)

    def text(self, *names: str) -> str:
        """Return a text, or ""."""
        value = self._value(names)
        return value.text if value else ""

    def word(self, *names: str) -> str:
        """Return a text; the default is the word after the section's name."""
        return self.text(*names) or self.tag.tag.word

    def flag(self, default: bool, *names: str) -> bool:
        """Return a Boolean value."""
        return self._one(names, default, lambda text: FLAGS.get(text.lower()), "neither true nor false")

    def choice(self, choices: Mapping[str, str], default: str, *names: str) -> str:
        """Return one of several words."""
        return self._one(names, default, lambda text: choices.get(text.lower()), _not_among(choices))

    def length(self, *names: str) -> str:
        """Return a CSS length; a bare number is pixels."""
        return self._one(names, "", _length, "no length: write 60%, 240px or 8cm")

    def address(self, *names: str) -> str:
        """Return an address of the web, of mail or of this server."""
        why = "no link: write https://…, mailto:…, /… or #heading"
        return self._one(names, "", lambda text: text if LINK.fullmatch(text) else None, why)

    def label(self) -> FigureNumber:
        """Return the label for references to a figure or table."""
        why = "no label: write a letter, then letters, digits, - and _"
        return self._one(
            ("label",), UNNUMBERED, lambda text: FigureNumber(text) if LABEL.fullmatch(text) else None, why
        )

    def color(self, *names: str) -> str:
        """Return a colour by name, or as `#rrggbb`."""
        return self._one(
            names, "", lambda text: color_of(text) or None, "no colour: write blue-500 or #0b5a6e"
        )

    def text_side(self, *names: str) -> str:
        """Return the alignment of a text, "" for an unknown one."""
        value = self._value(names)
        return JUSTIFIED.get(value.text.strip().lower(), "") if value else ""

    def place(self, *names: str) -> tuple[str, ...]:
        """Return side and height; `-` is the vertical middle if a side is given, else the horizontal one."""
        value = self._value(names)
        said = value.text.strip().lower() if value else ""
        if value is not None and not PLACE.fullmatch(said):
            if said not in JUSTIFIED:
                self._refuse(
                    value, f'"{said[:40]}" is no place: write up to two of < > - ^ v, or l, c, r or j'
                )
            return ()
        words = [PLACES[sign] for sign in said if sign in PLACES]
        if "-" in said:
            across = any(word in ("left", "right") for word in words)
            words.append("middle" if across else "center")
            words += ["middle"] if said.count("-") > 1 else []
        return tuple(dict.fromkeys(words))

    def words(self, choices: Mapping[str, str], *names: str) -> tuple[str, ...]:
        """Return several of some words, separated by spaces or commas."""
        if (value := self._value(names)) is None:
            return ()
        said = value.text.lower().replace(",", " ").split()
        for strange in (word for word in said if word not in choices):
            self._refuse(value, f'"{strange[:40]}" is {_not_among(choices)}')
        return tuple(dict.fromkeys(choices[word] for word in said if word in choices))

    def box(self) -> BoxLook:
        """Return the spaces and colours around the section."""
        padding, margin = self._spaces("p", "padding"), self._spaces("m", "margin")
        borders = tuple(self._borders())
        made = BoxLook(padding, margin, borders, self.color("fg"), self.color("bg"))
        return PLAIN_BOX if made == PLAIN_BOX else made

    def finish(self) -> None:
        """Note the parameters that no method asked for, which are unknown."""
        for name, value in self.tag.tag.values:
            if name not in self.asked and len(self.notes) < MOST_NOTES:
                near = difflib.get_close_matches(name, sorted(self.asked), 1)
                hint = f'; did you mean "{near[0]}"?' if near else f": it has {', '.join(sorted(self.asked))}"
                self._refuse(value, f'there is no parameter "{name[:40]}" here{hint}')

    def _value(self, names: tuple[str, ...]) -> Value | None:
        self.asked.update(names)
        return next((value for name, value in reversed(self.tag.tag.values) if name in names), None)

    def _one(self, names: tuple[str, ...], default: T, read: Callable[[str], T | None], why: str) -> T:
        """Parse a value; return the default for a missing or invalid one."""
        if (value := self._value(names)) is None:
            return default
        if (made := read(value.text.strip())) is None:
            self._refuse(value, f'"{value.text[:40]}" is {why}')
        return default if made is None else made

    def _spaces(self, *names: str) -> tuple[tuple[str, int], ...]:
        value = self._value(names)
        if value is None:
            return ()
        said = " ".join(value.texts).lower().replace(",", " ").split()[:8]
        found = [(word, SPACE.fullmatch(word)) for word in said]
        for word, match in found:
            if match is None:
                self._refuse(value, f'"{word[:40]}" is no space: write a side of l r t b x y a and 0 to 5')
        return tuple((match[1], int(match[2])) for _, match in found if match)

    def _borders(self) -> Iterator[Border]:
        value = self._value(("b", "border"))
        for text in value.texts[:8] if value else ():
            space, *color = text.lower().split()
            match = SPACE.fullmatch(space)
            tone = color_of(color[0]) if color else ""
            if match is None or len(color) > 1 or (color and not tone):
                assert value is not None
                self._refuse(value, f'"{text[:40]}" is no border: write a side and 0 to 5, as l3 blue-500')
            else:
                yield Border(match[1], int(match[2]), tone)

    def _refuse(self, value: Value, reason: str) -> None:
        before = self.tag.source[: value.offset + 2]
        breaks = before.count("\n")
        column = len(before) - before.rfind("\n") if breaks else self.tag.column + len(before)
        self.notes.append(MarkupNote(self.tag.line + breaks, column, reason))


def _not_among(choices: Mapping[str, str]) -> str:
    return f"not one of {', '.join(dict.fromkeys(choices.values()))}"


def _length(text: str) -> str | None:
    found = LENGTH.fullmatch(text.lower())
    if found is None:
        return "" if text.lower() == "auto" else None
    return found[0] if found[2] else f"{found[1]}px"


def full_digits(text: str) -> str:
    """Return `#rgb` or `#rrggbb` as `#rrggbb`; "" for anything else."""
    if not COLOR.fullmatch(text):
        return ""
    return text if len(text) == 7 else "#" + "".join(digit * 2 for digit in text[1:])


def color_of(text: str) -> str:
    """Return the colour as `#rrggbb` or a name with a shade; "" for an unknown one."""
    text = text.strip().lower()
    if digits := full_digits(text):
        return digits
    if not NAMED.fullmatch(text):
        return ""
    name, _, shade = text.replace("grey", "gray").partition("-")
    return name if name in ("black", "white") else f"{name}-{shade or 500}"
