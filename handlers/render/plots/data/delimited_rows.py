"""Rows of delimited text: finding the delimiter, quotes by RFC 4180, and reports of problems."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice

from handlers.render.plots.data.frame import Rejection

MOST_CELLS = 200_000
SAMPLE = 30
MOST_TOLD = 5
ORDER = ("\t", ";", ",", "  ")
"""Possible delimiters of cells, the most reliable first."""
SPACES = re.compile(r" {2,}|\t+")
SEPARATOR = re.compile(r'"?sep=([^"\w\s]|\t| )"?', re.IGNORECASE)
OPENING = re.compile(r' *"')
BLANKS = re.compile(r" *")
INSIDE = re.compile(r'(?:[^"]++|"")*+')
"""The text of a quoted cell up to its closing quote."""


class TooManyCells(ValueError):
    """Raised for data of more than MOST_CELLS cells, with their approximate number."""

    def __init__(self, cells: int) -> None:
        super().__init__(
            f"these data have about {cells:,} cells, and {MOST_CELLS:,} fit into a plot: "
            "send fewer rows or columns, summed up or thinned out"
        )


@dataclass
class RowReport:
    """Report on the rows: lines that could not be read, and sentences about the others."""

    rejected: list[Rejection] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    quoted: bool = False
    _untold: Counter[str] = field(default_factory=Counter)

    def reject(self, line: int, reason: str, column: str = "") -> None:
        """Report a line or cell that could not be read."""
        self.rejected.append(Rejection(line, reason, column))

    def note(self, kind: str, sentence: str) -> None:
        """Note a sentence of a kind. The first ones are listed, the others counted."""
        self._untold[kind] += 1
        if self._untold[kind] <= MOST_TOLD:
            self.notes.append(sentence)

    def close(self) -> None:
        """Report how many sentences of each kind are not listed."""
        for kind, count in self._untold.items():
            if count > MOST_TOLD:
                self.notes.append(f"{count - MOST_TOLD:,} more {kind}")


def clean_lines(text: str) -> str:
    """Return a text without a byte order mark, with uniform line ends."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def split_off_separator(text: str) -> tuple[str, str, int]:
    """Return the delimiter of a first line such as `sep=;` or "", the rest, and the number of lines cut."""
    first, _, rest = text.partition("\n")
    found = SEPARATOR.fullmatch(first.rstrip(" "))
    return (found[1], rest, 1) if found else ("", text, 0)


def sniff(text: str) -> tuple[str, str]:
    """Return the delimiter that gives most lines the same width, and another that is as good, or "".

    A delimiter that is not in the first line counts half, as a header has as many cells as a row.
    """
    sample = [*islice((line for line in io.StringIO(text) if line.strip()), SAMPLE)]

    def regularity(delimiter: str) -> float:
        widths = [len(row) for _, row in split_rows("".join(sample), delimiter, RowReport())]
        width, count = max(Counter(widths).items(), key=lambda item: item[1], default=(0, 0))
        if width < 2:
            return 0.0
        return count / len(widths) if widths[0] > 1 else count / len(widths) / 2

    scores = {delimiter: regularity(delimiter) for delimiter in ORDER}
    best = max(ORDER, key=scores.__getitem__)
    if not scores[best]:
        return ",", ""
    rivals = (one for one in ORDER if one != best and scores[one] == scores[best])
    return best, next((one for one in rivals if {one, best} != {"\t", "  "}), "")


def read_rows(text: str, delimiter: str, report: RowReport, before: int = 0) -> list[tuple[int, list[str]]]:
    """Return the rows that are not blank, each with the number of its first line. Raises TooManyCells."""
    count, rows = 0, []
    for line, row in split_rows(text, delimiter, report, before):
        count += len(row)
        if count > MOST_CELLS:
            marks = len(SPACES.findall(text)) if delimiter == "  " else text.count(delimiter)
            raise TooManyCells(max(count, marks + text.count("\n")))
        if any(cell.strip() for cell in row):
            rows.append((line, row))
    return rows


def split_rows(
    text: str, delimiter: str, report: RowReport, before: int = 0
) -> Iterator[tuple[int, list[str]]]:
    """Yield every row with the number of its first line; reject rows with a cell longer than csv's limit."""
    most = csv.field_size_limit()
    place, line = 0, before
    while place < len(text):
        line += 1
        first, end = line, _line_end(text, place)
        if delimiter == "  ":
            row, place = SPACES.split(text[place:end].strip()), end + 1
        elif '"' not in text[place:end]:
            row, place = text[place:end].split(delimiter), end + 1
        else:
            scanner = _RowScanner(text, delimiter, report, line)
            row, place = scanner.row(place)
            line = scanner.line
        if max(map(len, row)) > most:
            report.reject(first, f"has a cell of more than {most:,} characters")
        else:
            yield first, row


class _RowScanner:
    """Reader of rows with quotes; `line` is the current line number."""

    def __init__(self, text: str, delimiter: str, report: RowReport, line: int) -> None:
        self._text, self._delimiter, self._report = text, delimiter, report
        self.line, self._end = line, -1

    def row(self, place: int) -> tuple[list[str], int]:
        """Return the cells of the row that begins at a position, and the position of the next row."""
        row: list[str] = []
        while True:
            if place > self._end:
                self._end = _line_end(self._text, place)
            cell, place = self._quoted_cell(place) or self._bare_cell(place)
            row.append(cell)
            if not self._text.startswith(self._delimiter, place):
                return row, place + 1
            place += len(self._delimiter)

    def _bare_cell(self, place: int) -> tuple[str, int]:
        end = self._text.find(self._delimiter, place, self._end)
        end = self._end if end < 0 else end
        return self._text[place:end], end

    def _quoted_cell(self, place: int) -> tuple[str, int] | None:
        """Return a quoted cell of RFC 4180, whose closing quote is followed by the delimiter or the line end.

        None if the cell does not begin with a quote. A quote that is never closed is part of the cell's text,
        and is reported.
        """
        opening = OPENING.match(self._text, place)
        if opening is None:
            return None
        start, text = opening.end(), self._text
        closing = INSIDE.match(text, start).end()  # type: ignore[union-attr]
        closed = closing < len(text)
        if closed:
            after = BLANKS.match(text, closing + 1).end()  # type: ignore[union-attr]
            if after == len(text) or text[after] == "\n" or text.startswith(self._delimiter, after):
                self._report.quoted = True
                self._count_lines(start, closing)
                return text[start:closing].replace('""', '"'), after
        reason = "closes within a cell" if closed else "is never closed"
        shown = text[start : min(self._end, start + 30)]
        self._report.note(
            "quotes open a cell and do not close it",
            f"line {self.line}: the quote before {shown!r} {reason}, and is read as part of its cell",
        )
        return None

    def _count_lines(self, start: int, end: int) -> None:
        lines = self._text.count("\n", start, end)
        if lines:
            self._report.note(
                "quoted cells run over several lines",
                f"line {self.line}: a quote opens a cell that runs on to line {self.line + lines}",
            )
            self.line += lines


def _line_end(text: str, place: int) -> int:
    end = text.find("\n", place)
    return len(text) if end < 0 else end


def delimiter_words(delimiter: str) -> str:
    """Return a delimiter in words."""
    words = {",": "comma", ";": "semicolon", "\t": "tab", "  ": "spaces", " ": "blank"}
    return words.get(delimiter, delimiter)
