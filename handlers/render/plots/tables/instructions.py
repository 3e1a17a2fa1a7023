"""Instructions: the lines of a file of a table's settings, and those that speak of one cell."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from operator import xor
from typing import Generic, TypeVar

from handlers.render.plots.tables.slices import BadSlice, Indices, Slice, parse_slice

MOST_LINES = 500
MOST_TEXT = 256 * 1024
MOST_NOTES = 10
MOST_MARKS = 2_000_000
"""Rows and columns that the lists and steps of one file may name in all."""
MOST_KEPT = 10_000
MOST_AT_ONCE = 32
"""Lines that may make up the look of one cell together."""
COMMENT = "--"

T = TypeVar("T")
U = TypeVar("U")


class BadInstruction(ValueError):
    """Raised for words after the slices that mean nothing, with the reason."""


@dataclass(frozen=True, slots=True, eq=False)
class CellInstruction(Generic[T]):
    """A line: the rows and columns that it speaks of, and what it says of them."""

    line: int
    rows: Slice
    columns: Slice
    word: T


@dataclass(frozen=True, slots=True)
class ReadInstructions(Generic[T]):
    """The lines of a file that were understood, in their order, and notes on the others."""

    lines: tuple[CellInstruction[T], ...] = ()
    notes: tuple[str, ...] = ()


def read_instructions(path: str, text: str, parse: Callable[[str], T]) -> ReadInstructions[T]:
    """The instructions of a file; a line that is none is noted with its number and passed over."""
    read, notes = list[CellInstruction[T]](), list[str]()
    written = enumerate(text[:MOST_TEXT].splitlines(), 1)
    lines = [(number, bare) for number, line in written if (bare := line.partition(COMMENT)[0].strip())]
    for number, line in lines[:MOST_LINES]:
        try:
            read.append(_instruction(number, line, parse))
        except (BadSlice, BadInstruction) as mistake:
            notes.append(f"{path}, line {number}: {mistake}")
    if len(notes) > MOST_NOTES:
        notes[MOST_NOTES:] = [f"{path}: {len(notes) - MOST_NOTES} more lines were not understood"]
    if len(lines) > MOST_LINES or len(text) > MOST_TEXT:
        notes.append(f"{path}: only the first {MOST_LINES} instructions in {MOST_TEXT // 1024} KiB are read")
    return ReadInstructions(tuple(read), tuple(notes))


def _instruction(number: int, line: str, parse: Callable[[str], T]) -> CellInstruction[T]:
    rows, columns, *rest = line.split(None, 2) + [""]
    if not columns:
        raise BadSlice("has one slice where two are needed: rows, then columns")
    return CellInstruction(number, parse_slice(rows), parse_slice(columns), parse(rest[0]))


class InstructionGrid(Generic[T]):
    """The instructions of a file laid over a table of so many rows and columns."""

    def __init__(self, lines: Sequence[CellInstruction[T]], height: int, width: int) -> None:
        self.lines = lines
        self._rows = side_marks([line.rows.of(height) for line in lines], height)
        self._columns = side_marks([line.columns.of(width) for line in lines], width)
        self._found: dict[int, tuple[CellInstruction[T], ...]] = {}

    def marks(self, row: int, column: int) -> int:
        """The lines that speak of a cell, as bits."""
        return self._rows[row] & self._columns[column] if self.lines else 0

    def last(self, row: int, column: int) -> CellInstruction[T] | None:
        """The last line that speaks of a cell."""
        marks = self.marks(row, column)
        return self.lines[marks.bit_length() - 1] if marks else None

    def at(self, row: int, column: int) -> tuple[CellInstruction[T], ...]:
        """The lines that speak of a cell, in their order; of very many the last ones."""
        marks = self.marks(row, column)
        if not marks:
            return ()
        found = self._found.get(marks)
        if found is None:
            if len(self._found) >= MOST_KEPT:
                self._found.clear()
            found = self._found[marks] = tuple(self.lines[index] for index in _last_bits(marks))
        return found

    def words(self, row: int, column: int) -> list[T]:
        """The words that hold for a cell, in the order of their lines."""
        return [line.word for line in self.at(row, column)]


def side_marks(selections: Sequence[Indices], size: int) -> list[int]:
    """For each row or column the selections that hold it, as bits.

    A run of neighbours costs two marks however long it is; what lists and steps name costs one each, and
    beyond MOST_MARKS in all they are passed over.
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


def last_of(words: Iterable[U | None]) -> U | None:
    """The last word that says something; None without any."""
    said = [word for word in words if word is not None]
    return said[-1] if said else None


def _last_bits(marks: int) -> list[int]:
    """The places of the highest bits, rising."""
    places = list[int]()
    while marks and len(places) < MOST_AT_ONCE:
        places.append(marks.bit_length() - 1)
        marks ^= 1 << places[-1]
    return places[::-1]
