"""Instructions: the lines of a file of table settings, their slices, and merged cells."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate, product
from operator import xor
from typing import Generic, NamedTuple, TypeVar

INTEGER = r"-?[0-9]{1,18}"
RANGE = re.compile(rf"({INTEGER})?:({INTEGER})?(?::([0-9]{{1,18}})?)?")
LIST = re.compile(rf"{INTEGER}(?:,{INTEGER})*")

Indices = range | frozenset[int]
"""Existing rows or columns, counted from 0."""


class BadInstruction(ValueError):
    """Raised with the reason for an invalid slice, or for invalid words after the slices."""


@dataclass(frozen=True, slots=True)
class Slice:
    """Part of one side of a table: `first:last:step` with both ends included, or a list of indices.

    A negative index counts from the end. Ends that are None are the ends of the table.
    """

    first: int | None = None
    last: int | None = None
    step: int = 1
    listed: tuple[int, ...] | None = None

    def of(self, size: int) -> Indices:
        """Return the selected indices that exist in a side of that size."""
        if self.listed is not None:
            counted = (index + size if index < 0 else index for index in self.listed)
            return frozenset(index for index in counted if 0 <= index < size)
        first, last = self._ends(size)
        return range(max(0, first), min(size - 1, last) + 1, self.step)

    def _ends(self, size: int) -> tuple[int, int]:
        """Return both ends counted from 0; ends that count from the same side may be in any order."""
        first = 0 if self.first is None else self.first + size * (self.first < 0)
        last = size - 1 if self.last is None else self.last + size * (self.last < 0)
        turned = self.first is not None and self.last is not None and (self.first < 0) == (self.last < 0)
        return (last, first) if turned and last < first else (first, last)


def parse_slice(text: str) -> Slice:
    """Parse a slice. Raises BadInstruction."""
    if LIST.fullmatch(text):
        return Slice(listed=tuple(int(index) for index in text.split(",")))
    found = RANGE.fullmatch(text)
    if not found:
        raise BadInstruction(
            f'"{text[:40]}" is no slice: write "first:last:step" or a list such as 0,2,-1, without spaces'
        )
    first, last, step = (int(number) if number else None for number in found.groups())
    if step == 0:
        raise BadInstruction(f'"{text[:40]}" has a step of 0: write 1 or more')
    return Slice(first, last, step or 1)


MOST_LINES = 500
MOST_TEXT = 256 * 1024
MOST_NOTES = 10
MOST_MARKS = 2_000_000
"""Rows and columns that the lists and steps of one file may name in all."""
MOST_AT_ONCE = 32
"""Number of lines that may determine the look of one cell."""
COMMENT = "--"

T = TypeVar("T")


@dataclass(frozen=True, slots=True, eq=False)
class CellInstruction(Generic[T]):
    """A line: its rows and columns, and what it sets for them."""

    line: int
    rows: Slice
    columns: Slice
    word: T


def read_instructions(
    path: str, text: str, parse: Callable[[str], T]
) -> tuple[list[CellInstruction[T]], list[str]]:
    """Parse the instructions of a file; return the valid lines in order, and notes on the others."""
    read, notes = list[CellInstruction[T]](), list[str]()
    written = enumerate(text[:MOST_TEXT].splitlines(), 1)
    lines = [(number, bare) for number, line in written if (bare := line.partition(COMMENT)[0].strip())]
    for number, line in lines[:MOST_LINES]:
        try:
            read.append(_instruction(number, line, parse))
        except BadInstruction as mistake:
            notes.append(f"{path}, line {number}: {mistake}")
    if len(notes) > MOST_NOTES:
        notes[MOST_NOTES:] = [f"{path}: {len(notes) - MOST_NOTES} more lines were not understood"]
    if len(lines) > MOST_LINES or len(text) > MOST_TEXT:
        notes.append(f"{path}: only the first {MOST_LINES} instructions in {MOST_TEXT // 1024} KiB are read")
    return read, notes


def _instruction(number: int, line: str, parse: Callable[[str], T]) -> CellInstruction[T]:
    rows, columns, *rest = line.split(None, 2) + [""]
    if not columns:
        raise BadInstruction("has only one slice: write rows, then columns")
    return CellInstruction(number, parse_slice(rows), parse_slice(columns), parse(rest[0]))


class InstructionGrid(Generic[T]):
    """The instructions of a file, applied to a table with a number of rows and columns."""

    def __init__(self, lines: Sequence[CellInstruction[T]], height: int, width: int) -> None:
        self.lines = lines
        self._rows = side_marks([line.rows.of(height) for line in lines], height)
        self._columns = side_marks([line.columns.of(width) for line in lines], width)

    def marks(self, row: int, column: int) -> int:
        """Return the lines that select a cell, as bits."""
        return self._rows[row] & self._columns[column] if self.lines else 0

    def last(self, row: int, column: int) -> CellInstruction[T] | None:
        """Return the last line that selects a cell."""
        marks = self.marks(row, column)
        return self.lines[marks.bit_length() - 1] if marks else None

    def at(self, row: int, column: int) -> tuple[CellInstruction[T], ...]:
        """Return the lines that select a cell, in order; at most the last MOST_AT_ONCE."""
        return tuple(self.lines[index] for index in _last_bits(self.marks(row, column)))

    def words(self, row: int, column: int) -> list[T]:
        """Return the words for a cell, in the order of their lines."""
        return [line.word for line in self.at(row, column)]


def side_marks(selections: Sequence[Indices], size: int) -> list[int]:
    """Return for each row or column the selections that contain it, as bits.

    A range costs two marks whatever its length. Lists and ranges with a step cost one mark for each index;
    beyond MOST_MARKS in all, the remaining selections are ignored.
    """
    changes, single, spent = [0] * (size + 1), dict[int, int](), 0
    for index, selection in enumerate(selections):
        bit = 1 << index
        if isinstance(selection, range) and selection.step == 1:
            if selection:
                changes[selection.start] ^= bit
                changes[selection.stop] ^= bit
            continue
        spent += len(selection)
        if spent > MOST_MARKS:
            break
        for place in selection:
            single[place] = single.get(place, 0) | bit
    runs = accumulate(changes[:size], xor)
    return [mark | single.get(place, 0) for place, mark in enumerate(runs)]


def _last_bits(marks: int) -> list[int]:
    """Return the positions of the highest bits, in ascending order."""
    places = list[int]()
    while marks and len(places) < MOST_AT_ONCE:
        places.append(marks.bit_length() - 1)
        marks ^= 1 << places[-1]
    return places[::-1]


MOST_COVERED = 200_000


@dataclass(frozen=True, slots=True)
class Span:
    """A rectangle of cells: its first row and column, and its numbers of rows and columns."""

    row: int
    column: int
    rows: int = 1
    columns: int = 1


class DrawnSpan(NamedTuple):
    """A merge as drawn: the position of its first cell, and its span in drawn rows and columns."""

    row: int
    column: int
    span: Span


class MergedCells:
    """The merges of a table; one that overlaps an earlier one, or is no rectangle, is noted and ignored."""

    def __init__(self, path: str, lines: Sequence[CellInstruction[str]], height: int, width: int) -> None:
        self.notes: list[str] = []
        self.spans: list[Span] = []
        self._covered: dict[tuple[int, int], Span] = {}
        for line in lines:
            reason = self._merge(line.rows.of(height), line.columns.of(width))
            if reason:
                self.notes.append(f"{path}, line {line.line}: {reason}")

    def span(self, row: int, column: int) -> Span:
        """Return the merged rectangle of a cell, or only the cell if it is not merged."""
        return self._covered.get((row, column)) or Span(row, column)

    def within(self, rows: Sequence[int], columns: Sequence[int]) -> dict[tuple[int, int], DrawnSpan]:
        """Return the merge of each merged position if only these rows and columns are drawn."""
        down = {row: place for place, row in enumerate(rows)}
        across = {column: place for place, column in enumerate(columns)}
        drawn = dict[tuple[int, int], DrawnSpan]()
        for span in self.spans:
            left = [across[at] for at in range(span.column, span.column + span.columns) if at in across]
            top = [down[at] for at in range(span.row, span.row + span.rows) if at in down]
            if left and top and left[-1] - left[0] + 1 == len(left):
                kept = DrawnSpan(top[0], left[0], Span(span.row, span.column, len(top), len(left)))
                drawn.update(dict.fromkeys(product(top, left), kept))
        return drawn

    def _merge(self, rows: Indices, columns: Indices) -> str:
        """Store a rectangle, or return why it is invalid."""
        if not rows or not columns:
            return "selects no cell of the table"
        top, left = min(rows), min(columns)
        height, width = max(rows) - top + 1, max(columns) - left + 1
        if len(rows) != height or len(columns) != width:
            return "only neighbouring rows and columns are merged"
        span = Span(top, left, height, width)
        if height * width + len(self._covered) > MOST_COVERED:
            return f"more than {MOST_COVERED:,} cells are merged"
        places = list(product(rows, columns))
        if not self._covered.keys().isdisjoint(places):
            return "overlaps a merge of a line above"
        self._covered.update(dict.fromkeys(places, span))
        self.spans.append(span)
        return ""
