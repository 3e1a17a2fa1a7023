"""Colours by name: lines such as `Oslo #d03040`, and `* gray` for all others."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, repeat

OTHERS, SIGNS = "*", {"+": True, "-": False, "\u2212": False}
ENDING = re.compile(r"[\s,;]*+(?P<color>[^\s:=,;]++)(?=[\s:=,;])\s*+[:=,;]?\s*+")
"""The end of a line, read from its last character on: the colour, and what is between it and the name."""


@dataclass(frozen=True, slots=True)
class NamedColors:
    """Colours of series, bars and parts by their names in small letters, and that of all others ("": own).

    `above` and `below` are those of bars of one series by the sign of their values.
    """

    marks: tuple[tuple[str, str], ...] = ()
    others: str = ""
    above: str = ""
    below: str = ""

    def __bool__(self) -> bool:
        return bool(self.marks or self.others)

    def has(self, name: str) -> bool:
        """Whether a name is marked."""
        return any(known == plain_name(name) for known, _ in self.marks)

    @property
    def by_sign(self) -> bool:
        """Whether values above and below zero have colours."""
        return bool(self.above or self.below)

    def of(
        self, names: Iterable[str], usual: Sequence[str], values: Iterable[float | None] = ()
    ) -> tuple[str, ...]:
        """The colours of names, of the signs of their values, and the usual ones where none are given."""
        known, rows = dict(self.marks), zip(names, usual, strict=True)
        return tuple(
            known.get(plain_name(name)) or (self._of_sign(value) if value else "") or self.others or color
            for (name, color), value in zip(rows, chain(values, repeat(0.0)), strict=False)
        )

    def _of_sign(self, value: float) -> str:
        return self.above if value > 0 else self.below

    def missing(self, names: Iterable[str]) -> list[str]:
        """The marked names that are not among these."""
        there = {plain_name(name) for name in names}
        return [known for known, _ in self.marks if known not in there]


NO_NAMES = NamedColors()


def plain_name(name: str) -> str:
    """A name as it is compared: without capitals and blanks around it."""
    return " ".join(name.split()).casefold()


def read_line(line: str, color_of: Callable[[str], str]) -> tuple[str, str] | None:
    """The name and the colour of a line; None of a line of colours alone, or of none.

    A name that is a colour itself stands in quotes: `"Red" #d03040`.
    """
    backwards = line[::-1]
    found = ENDING.match(backwards)
    name = backwards[found.end() :][::-1].lstrip() if found else ""
    if found is None or not name:
        return None
    color = color_of(found["color"][::-1])
    if len(name) > 1 and name[0] == name[-1] == '"' and name.count('"') == 2:
        return plain_name(name[1:-1]), color
    first = re.split(r"[\s,;]+", name, maxsplit=1)[0]
    return (plain_name(name), color) if color and not color_of(first) else None
