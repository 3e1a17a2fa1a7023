"""Check of a plot's data: how they are read, and the lines and columns that hold mistakes."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from handlers.render.plots.data.delimited_rows import delimiter_words
from handlers.render.plots.data.frame import Column, ColumnType, Frame, Rejection
from handlers.render.plots.data.numbers import unit_words
from handlers.render.plots.data.table_text import MOST_CELLS, TooManyCells, read_frame
from handlers.render.plots.data.type_columns import as_type_reads
from handlers.render.plots.plot_type import PlotType, type_of

MOST_TOLD = 200
LONGEST_NAME = 200


@dataclass(frozen=True, slots=True)
class ColumnCheck:
    """A column as it is read: name, type, unit, and how many of its cells are gaps and mistakes."""

    name: str
    type: ColumnType
    unit: str
    gaps: int
    mistakes: int


@dataclass(frozen=True, slots=True)
class DataCheck:
    """A plot's data as they are read.

    `quotes` tells that cells stand in quotes, `decimal` is the decimal mark and `groups` are the marks of
    thousands, in words; `guess` tells that the decimal mark is one. `mistakes` are the first of the
    `rejected` lines and cells, `notes` sentences about the whole.
    """

    delimiter: str
    quotes: bool
    decimal: str
    groups: tuple[str, ...]
    guess: bool
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
            "quotes": self.quotes,
            "decimal": self.decimal,
            "groups": list(self.groups),
            "guess": self.guess,
            "rows": self.rows,
            "columns": [
                {
                    "name": one.name,
                    "type": one.type.value,
                    **({"unit": one.unit} if one.unit else {}),
                    "gaps": one.gaps,
                    "mistakes": one.mistakes,
                }
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


def check_data(text: str, word: str = "table") -> DataCheck:
    """Read data as a plot of a type does, and tell how; never fails for what stands in them."""
    try:
        kind = type_of(word)
        frame = as_type_reads(read_frame(text), kind)
    except TooManyCells as refusal:
        return DataCheck("", False, "", (), False, (), 0, (), 0, (str(refusal),))
    wrong = Counter(one.column for one in frame.rejected)
    columns = tuple(_check_column(column, wrong[column.name[:LONGEST_NAME]]) for column in frame.columns)
    return DataCheck(
        delimiter_words(frame.delimiter) if len(columns) > 1 else "none",
        frame.quoted,
        "comma" if frame.notation.comma else "point",
        frame.notation.groups,
        any(": a guess" in note for note in frame.notes),
        columns,
        frame.height,
        frame.rejected[:MOST_TOLD],
        len(frame.rejected),
        (*frame.notes, *_notes(frame, kind)),
    )


def _check_column(column: Column, mistakes: int) -> ColumnCheck:
    values = column.numbers or column.dates or tuple(text or None for text in column.texts)
    missing = sum(value is None for value in values)
    return ColumnCheck(
        column.name[:LONGEST_NAME], column.type, unit_words(column.unit), max(0, missing - mistakes), mistakes
    )


def _notes(frame: Frame, kind: PlotType) -> tuple[str, ...]:
    """Sentences about what is likely meant otherwise."""
    notes = []
    if not frame.columns:
        return ("There is no text yet.",)
    if not frame.height:
        notes.append("There is a header and no row below it.")
    elif frame.blank and not kind.dated:
        notes.append("No column holds numbers, so that there is nothing to draw but a table.")
    return tuple(notes)
