"""Check of a plot's data: how they are read, and which lines and columns contain mistakes."""

from __future__ import annotations

from collections import Counter
from typing import Any

from handlers.render.plots.data.delimited_rows import delimiter_words
from handlers.render.plots.data.frame import Column, Frame
from handlers.render.plots.data.numbers import unit_words
from handlers.render.plots.data.reading import BY_DATA, Reading
from handlers.render.plots.data.table_text import MOST_CELLS, TooManyCells, read_frame
from handlers.render.plots.data.type_columns import as_type_reads
from handlers.render.plots.plot_type import PlotType, type_of

MOST_TOLD = 200
LONGEST_NAME = 200


def check_data(text: str, word: str = "table", reading: Reading = BY_DATA) -> dict[str, Any]:
    """Return how a plot of a type reads data, as JSON. Never fails, whatever the data contain.

    `quotes` is whether cells are quoted, `decimal` is the decimal mark and `groups` are the marks of
    thousands, in words; `guess` is whether the decimal mark is guessed. `mistakes` are the first of the
    `rejected` lines and cells, `notes` sentences about the whole.
    """
    kind = type_of(word)
    try:
        frame = as_type_reads(read_frame(text, reading), kind)
        notes = (*frame.notes, *_notes(frame, kind))
    except TooManyCells as refusal:
        frame, notes = Frame(()), (str(refusal),)
    wrong = Counter(one.column for one in frame.rejected)
    columns = [_check_column(column, wrong[column.name[:LONGEST_NAME]]) for column in frame.columns]
    return {
        "delimiter": delimiter_words(frame.delimiter) if len(columns) > 1 else "none",
        "quotes": frame.quoted,
        "decimal": "comma" if frame.notation.comma else "point",
        "groups": list(frame.notation.groups),
        "guess": any(": a guess" in note for note in frame.notes),
        "rows": frame.height,
        "columns": columns,
        "cells": frame.height * len(columns),
        "most_cells": MOST_CELLS,
        "gaps": sum(one["gaps"] for one in columns),
        "rejected": len(frame.rejected),
        "mistakes": [
            {"line": one.line, "column": one.column or None, "reason": one.reason}
            for one in frame.rejected[:MOST_TOLD]
        ],
        "notes": list(notes),
    }


def _check_column(column: Column, mistakes: int) -> dict[str, Any]:
    """Return the name of a column, its type, its unit, and its numbers of gaps and mistakes."""
    values = column.numbers or column.dates or tuple(text or None for text in column.texts)
    missing, unit = sum(value is None for value in values), unit_words(column.unit)
    return {
        "name": column.name[:LONGEST_NAME],
        "type": column.type.value,
        **({"unit": unit} if unit else {}),
        "gaps": max(0, missing - mistakes),
        "mistakes": mistakes,
    }


def _notes(frame: Frame, kind: PlotType) -> tuple[str, ...]:
    """Return sentences about data that were probably meant in another way."""
    notes = []
    if not frame.columns:
        return ("There is no text yet.",)
    if not frame.height:
        notes.append("There is a header and no row below it.")
    elif frame.blank and not kind.dated:
        notes.append("No column holds numbers, so that there is nothing to draw but a table.")
    return tuple(notes)
