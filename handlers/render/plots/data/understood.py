"""Understood: what data were read as, in a line of words, and the types of plots that fit them best."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from handlers.render.plots.data.dates_written import BY_COLUMN, QUARTER, YEAR, are_months
from handlers.render.plots.data.figures_written import GROUPS
from handlers.render.plots.data.frame import Column, ColumnType, Frame
from handlers.render.plots.data.reading import BY_DATA, Reading
from handlers.render.plots.data.table_text import TooManyCells, read_frame
from handlers.render.plots.data.type_columns import as_type_reads
from handlers.render.plots.plot_type import plot_types

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
    """The reading of some data: a line of `words`, and the words of fitting `types`, the best ones first."""

    words: str
    types: tuple[str, ...]


def understand(text: str, reading: Reading = BY_DATA) -> Understood:
    """Return what data are read as. Accepts any text."""
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
    """Return a number as the data write theirs."""
    groups = [SIGNS[word] for word in frame.notation.groups]
    decimals = any(column.decimals for column in frame.columns)
    mark = "," if frame.notation.comma else "."
    return f"1{groups[0] if groups else ''}234{f'{mark}5' if decimals else ''}"


def _dates(column: Column) -> str:
    """Return by what the dates of a column go on, with an example if their order is not clear."""
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
    """Return what the columns of a frame hold, as a key of SUITED."""
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
