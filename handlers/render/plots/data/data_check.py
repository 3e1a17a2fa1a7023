"""Check of a plot's data: how they are read, and the lines and columns that hold mistakes."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from handlers.render.plots.data.frame import Column, ColumnType, Frame, Rejection
from handlers.render.plots.data.table_text import MOST_CELLS, TooManyCells, read_date, read_frame, read_number

MOST_TOLD = 200
LONGEST_NAME = 200
DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "  ": "spaces"}


@dataclass(frozen=True, slots=True)
class ColumnCheck:
    """A column as it is read: name, type, and how many of its cells are gaps and mistakes."""

    name: str
    type: ColumnType
    gaps: int
    mistakes: int


@dataclass(frozen=True, slots=True)
class DataCheck:
    """A plot's data as they are read.

    `mistakes` are the first of the `rejected` lines and cells, `notes` sentences about the whole.
    """

    delimiter: str
    columns: tuple[ColumnCheck, ...]
    rows: int
    mistakes: tuple[Rejection, ...]
    rejected: int
    notes: tuple[str, ...]

    @property
    def fields(self) -> dict[str, object]:
        """The check as it is answered in JSON."""
        return {
            "delimiter": self.delimiter,
            "rows": self.rows,
            "columns": [
                {"name": one.name, "type": one.type.value, "gaps": one.gaps, "mistakes": one.mistakes}
                for one in self.columns
            ],
            "cells": self.rows * len(self.columns),
            "most_cells": MOST_CELLS,
            "gaps": sum(one.gaps for one in self.columns),
            "rejected": self.rejected,
            "mistakes": [
                {"line": one.line, "column": one.column or None, "reason": one.reason}
                for one in self.mistakes
            ],
            "notes": list(self.notes),
        }


def check_data(text: str) -> DataCheck:
    """Read data as a plot does, and tell how they were read; never fails for what stands in them."""
    try:
        frame = read_frame(text)
    except TooManyCells as refusal:
        return DataCheck("", (), 0, (), 0, (str(refusal),))
    wrong = Counter(one.column for one in frame.rejected)
    columns = tuple(_check_column(column, wrong[column.name[:LONGEST_NAME]]) for column in frame.columns)
    delimiter = DELIMITERS[frame.delimiter] if len(columns) > 1 else "none"
    mistakes = tuple(sorted(frame.rejected, key=lambda one: one.line)[:MOST_TOLD])
    return DataCheck(delimiter, columns, frame.height, mistakes, len(frame.rejected), _notes(frame))


def _check_column(column: Column, mistakes: int) -> ColumnCheck:
    values = column.numbers or column.dates or tuple(text or None for text in column.texts)
    missing = sum(value is None for value in values)
    return ColumnCheck(column.name[:LONGEST_NAME], column.type, missing - mistakes, mistakes)


def _notes(frame: Frame) -> tuple[str, ...]:
    """Sentences about what is likely meant otherwise."""
    notes = []
    names = [column.name for column in frame.columns]
    if not names:
        return ("There is no text yet.",)
    if not frame.height:
        notes.append("There is a header and no row below it.")
    elif frame.blank:
        notes.append("No column holds numbers, so that there is nothing to draw but a table.")
    if len(names) > 1 and all(_is_value(name) for name in names[1:]) and not _are_years(names[1:]):
        notes.append("The first line is read as the header, and it looks like a row of numbers.")
    return tuple(notes)


def _is_value(name: str) -> bool:
    return read_number(name) is not None


def _are_years(names: list[str]) -> bool:
    return all(read_date(name) is not None for name in names)
