"""Check of a plot's data: how they are read, which mistakes they contain, and the types that fit them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from handlers.render.plots.data.dates_written import BY_COLUMN, QUARTER, YEAR, are_months
from handlers.render.plots.data.delimited_rows import MOST_CELLS, TooManyCells, delimiter_words
from handlers.render.plots.data.figures_written import GROUPS
from handlers.render.plots.data.frame import Column, ColumnType, Frame
from handlers.render.plots.data.numbers import unit_words
from handlers.render.plots.data.table_text import BY_DATA, LONGEST_NAME, Reading, read_frame
from handlers.render.plots.data.type_columns import as_type_reads
from handlers.render.plots.plot_type import PlotType, plot_types, type_of

MOST_TOLD = 200


def check_data(text: str, word: str = "table", reading: Reading = BY_DATA) -> dict[str, Any]:
    """Return how a plot of a type reads data, as JSON. Never fails, whatever the data contain.

    `quotes` is whether cells are quoted, `decimal` is the decimal mark and `groups` are the marks of
    thousands, in words; `guess` is whether the decimal mark is guessed. `mistakes` are the first of the
    `rejected` lines and cells, `notes` are sentences about all of the data.
    """
    kind = type_of(word)
    try:
        frame = as_type_reads(read_frame(text, reading), kind)
        notes = [*frame.notes, *_notes(frame, kind)]
    except TooManyCells as refusal:
        frame, notes = Frame(()), [str(refusal)]
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
        "notes": notes,
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


def _notes(frame: Frame, kind: PlotType) -> Iterator[str]:
    """Yield a sentence about data that probably mean something else."""
    if not frame.columns:
        yield "There is no text yet."
    elif not frame.height:
        yield "There is a header and no row below it."
    elif frame.blank and not kind.dated:
        yield "No column holds numbers: only a table can be drawn."


SIGNS = {word: sign for sign, word in GROUPS.items()}
MANY_ROWS, LONG_NAME, FEW_PARTS = 12, 14, 6
SUITED = {
    "dates": "line area bar sbar heatmap value",
    "numbers": "scatter line bar area hist heatmap",
    "set": "hist strip box bar line value",
    "list": "hbar bar dot lollipop treemap",
    "shares": "bar hbar pie donut dot treemap",
    "groups": "bar hbar sbar line dot heatmap",
    "tasks": "gantt",
    "words": "",
}
"""The types that suit the columns of some data, the best one first."""
TABLE = "table"


@dataclass(frozen=True, slots=True)
class Understood:
    """Summary of how data are read: a line of `words`, and the words of fitting `types`, the best first."""

    words: str
    types: tuple[str, ...]


def understand(text: str, reading: Reading = BY_DATA) -> Understood:
    """Return a summary of how data are read. Accepts any text."""
    try:
        frame = read_frame(text, reading)
    except TooManyCells as refusal:
        return Understood(str(refusal), (TABLE,))
    if not frame.height:
        return Understood("a heading row and no rows below it" if frame.columns else "", ())
    return Understood("; ".join(_words(frame)), _types(frame))


def _words(frame: Frame) -> Iterator[str]:
    yield f"{_count(frame.height, 'row')}, {_count(len(frame.columns), 'column')}"
    if any(one.type is ColumnType.NUMBER for one in frame.columns):
        yield f"numbers as {_number(frame)}{' (a guess)' if frame.notation.guesses else ''}"
    for column in frame.columns:
        if column.type is ColumnType.DATE:
            yield _dates(column)
            break
    if frame.rejected:
        yield f"{_count(len(frame.rejected), 'cell')} not read"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'s' * (number != 1)}"


def _number(frame: Frame) -> str:
    """Return an example of a number in the notation of the data."""
    groups = [SIGNS[word] for word in frame.notation.groups]
    decimals = any(column.decimals for column in frame.columns)
    mark = "," if frame.notation.comma else "."
    return f"1{groups[0] if groups else ''}234{f'{mark}5' if decimals else ''}"


def _dates(column: Column) -> str:
    """Return the unit of a column's dates in words, with an example if their order is not clear."""
    known = {text: date for text, date in zip(column.texts, column.dates, strict=True) if date is not None}
    step = "month" if are_months(list(known.values())) else "day"
    for name, pattern in (("year", YEAR), ("quarter", QUARTER)):
        step = name if all(map(pattern.fullmatch, known)) else step
    unclear = next((text for text in known if BY_COLUMN.match(text)), "")
    example = f" ({unclear} is {known[unclear]:%Y-%m-%d})" if unclear else ""
    return f"dates by {'time' if column.clock else step}{example}"


def _types(frame: Frame) -> tuple[str, ...]:
    """Return the words of the types that can draw a frame: those that suit its columns, then all others."""
    fitting = [
        word
        for word, kind in plot_types().items()
        if kind.drawing and (kind.asks is None or not kind.asks(as_type_reads(frame, kind)))
    ]
    suited = SUITED[_columns_of(frame)].split()
    return tuple(dict.fromkeys([*(word for word in suited if word in fitting), TABLE, *fitting]))


def _columns_of(frame: Frame) -> str:
    """Return the key of SUITED for the content of a frame's columns."""
    axis, series = frame.axis, frame.series
    if sum(column.type is ColumnType.DATE for column in frame.columns) > 1:
        return "tasks"
    if frame.blank:
        return "words"
    if axis is None:
        return "set"
    if axis.type is not ColumnType.TEXT:
        return "dates" if axis.type is ColumnType.DATE else "numbers"
    if frame.height > MANY_ROWS or max(map(len, axis.texts)) > LONG_NAME:
        return "list"
    return "shares" if len(series) == 1 and frame.height <= FEW_PARTS else "groups"
