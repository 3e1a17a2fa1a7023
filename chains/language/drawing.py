"""A drawn text as the rows and columns of a terminal, and the lines drawn in it."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field

TAB = 8

_PIECE = re.compile(r"[ -~]+|.", re.DOTALL)
_UNSEEN = ("Mn", "Me", "Cf")


def lines_of(text: str) -> list[str]:
    """Return the lines of a text. They may end with LF, CRLF or CR."""
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


@dataclass(frozen=True, slots=True)
class DrawnText:
    """Lines as a terminal shows them.

    A row has one character per column: the ASCII character, a blank for white space, and an `x` for each
    column of a character that is not ASCII. For such rows, `offsets` has the index in the line of each
    column's character.
    """

    lines: Sequence[str]
    rows: list[str] = field(default_factory=list)
    offsets: dict[int, list[int]] = field(default_factory=dict)

    def column(self, row: int, at: int) -> int:
        """Return the index in its line of the character in a column. Both count from 0."""
        offsets = self.offsets.get(row)
        if offsets is None:
            return at
        return offsets[at] if at < len(offsets) else len(self.lines[row])

    def text_between(self, row: int, start: int, stop: int) -> str:
        """Return the text from column `start` up to and without `stop`, without invisible characters."""
        if row not in self.offsets:
            return self.rows[row][start:stop]
        offsets = self.offsets[row]
        said = self.lines[row][offsets[start] : offsets[stop]]
        return "".join([character for character in said if unicodedata.category(character) != "Cf"])


def draw(text: str) -> DrawnText:
    """Return a text as rows and columns."""
    drawing = DrawnText(lines_of(text))
    for number, line in enumerate(drawing.lines):
        if not line.isascii() or not line.isprintable():
            line, drawing.offsets[number] = _spread(line)
        drawing.rows.append(line)
    return drawing


def _spread(line: str) -> tuple[str, list[int]]:
    """Return a line with one character per column, and for each column the index in the line."""
    row = ""
    pieces: list[str] = []
    offsets: list[int] = []
    for piece in _PIECE.finditer(line):
        said, at = piece[0], piece.start()
        if said == "\t":
            row = " " * (TAB - len(offsets) % TAB)
        elif " " <= said[0] <= "~":
            row = said
        else:
            row = (" " if said.isspace() else "x") * column_width(said)
        pieces.append(row)
        offsets += range(at, piece.end()) if len(said) > 1 else [at] * len(row)
    return "".join(pieces), offsets


def column_width(character: str) -> int:
    """Return the number of columns that a terminal uses for a character."""
    if unicodedata.category(character) in _UNSEEN:
        return 0
    return 2 if unicodedata.east_asian_width(character) in ("W", "F") else 1


class Columns(dict[int, str]):
    """The columns of a rectangle, each computed when it is first read."""

    def __init__(self, flat: str, width: int) -> None:
        super().__init__()
        self.flat = flat
        self.width = width

    def __missing__(self, at: int) -> str:
        column = self[at] = self.flat[at :: self.width]
        return column


class DrawnLines:
    """The lines drawn in one direction, made of the characters in `mark`."""

    def __init__(self, strings: list[str] | Columns, mark: str) -> None:
        self.strings = strings
        self.mark = re.compile(f"[{mark}]")
        self.run = re.compile(f"[{mark}]+")
        self.runs: dict[int, tuple[list[int], list[int]]] = {}

    def through(self, entry: str, first: int, end: int, start: int, stop: int) -> list[int]:
        """Return the indexes, from `first` to before `end`, of strings with a line from `start` to `stop`.

        `entry` is the string that crosses them at `start`.
        """
        if self.mark.search(entry, first, end) is None:
            return []
        hits = [found.start() for found in self.mark.finditer(entry, first, end)]
        return [at for at in hits if self.end(at, start) >= stop]

    def end(self, at: int, start: int) -> int:
        """Return the end of the line that contains `start` in the string at index `at`."""
        if at not in self.runs:
            spans = [found.span() for found in self.run.finditer(self.strings[at])]
            self.runs[at] = [span[0] for span in spans], [span[1] for span in spans]
        starts, ends = self.runs[at]
        return ends[bisect_right(starts, start) - 1]
