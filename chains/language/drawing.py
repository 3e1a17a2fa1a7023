"""A drawn text as the rows and columns of a terminal, and the lines that run through them."""

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
    """The lines of a text, whether they end with LF, CRLF or CR."""
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


@dataclass(frozen=True, slots=True)
class DrawnText:
    """Lines as a terminal shows them.

    A row has one character for each column: what is drawn, a blank for white space, and an `x` for each
    column of a character that is no ASCII (`offsets` then tells which character of the line stands in each
    column).
    """

    lines: Sequence[str]
    rows: list[str] = field(default_factory=list)
    offsets: dict[int, list[int]] = field(default_factory=dict)

    def column(self, row: int, at: int) -> int:
        """The index in its line of the character in a column, both counted from 0."""
        offsets = self.offsets.get(row)
        if offsets is None:
            return at
        return offsets[at] if at < len(offsets) else len(self.lines[row])

    def text_between(self, row: int, start: int, stop: int) -> str:
        """The text from column `start` to before `stop`, less what nobody sees."""
        if row not in self.offsets:
            return self.rows[row][start:stop]
        offsets = self.offsets[row]
        said = self.lines[row][offsets[start] : offsets[stop]]
        return "".join([character for character in said if unicodedata.category(character) != "Cf"])


def draw(text: str) -> DrawnText:
    """The drawing that a text is."""
    drawing = DrawnText(lines_of(text))
    for number, line in enumerate(drawing.lines):
        if not line.isascii() or not line.isprintable():
            line, drawing.offsets[number] = _spread(line)
        drawing.rows.append(line)
    return drawing


def _spread(line: str) -> tuple[str, list[int]]:
    """A line with one character for each column, and where in the line that stands."""
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
    """The number of columns that a terminal gives to a character."""
    if unicodedata.category(character) in _UNSEEN:
        return 0
    return 2 if unicodedata.east_asian_width(character) in ("W", "F") else 1


class Columns(dict[int, str]):
    """The columns of a rectangle, each cut out when it is first asked for."""

    def __init__(self, flat: str, width: int) -> None:
        super().__init__()
        self.flat = flat
        self.width = width

    def __missing__(self, at: int) -> str:
        column = self[at] = self.flat[at :: self.width]
        return column


class DrawnLines:
    """The lines that are drawn in one direction. `mark` is what they consist of."""

    def __init__(self, strings: list[str] | Columns, mark: str) -> None:
        self.strings = strings
        self.mark = re.compile(f"[{mark}]")
        self.run = re.compile(f"[{mark}]+")
        self.runs: dict[int, tuple[list[int], list[int]]] = {}

    def through(self, entry: str, first: int, end: int, start: int, stop: int) -> list[int]:
        """The strings from `first` to before `end` that are a line from `start` to `stop`.

        `entry` goes across them at `start`.
        """
        if self.mark.search(entry, first, end) is None:
            return []
        hits = [found.start() for found in self.mark.finditer(entry, first, end)]
        return [at for at in hits if self.end(at, start) >= stop]

    def end(self, at: int, start: int) -> int:
        """The end of the line of a string that is at `start`."""
        if at not in self.runs:
            spans = [found.span() for found in self.run.finditer(self.strings[at])]
            self.runs[at] = [span[0] for span in spans], [span[1] for span in spans]
        starts, ends = self.runs[at]
        return ends[bisect_right(starts, start) - 1]
