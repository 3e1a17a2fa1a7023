"""Understood: what data were read as, in a line of words, and the types of plots that fit them best."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from handlers.render.plots.data.dates_written import BY_COLUMN, QUARTER, YEAR, are_months
from handlers.render.plots.data.figures_written import GROUPS
from handlers.render.plots.data.frame import Column, ColumnType, Frame
from handlers.render.plots.data.reading import BY_DATA, Reading
from handlers.render.plots.data.table_text import TooManyCells, read_frame
from handlers.render.plots.data.type_columns import as_type_reads
from handlers.render.plots.plot_type import plot_types

SIGNS = {word: sign for sign, word in GROUPS.items()}
MANY_ROWS, LONG_NAME, FEW_PARTS = 12, 14, 6
DATED = ("line", "area", "bar", "sbar", "heatmap", "value")
NUMBERED = ("scatter", "line", "bar", "area", "hist", "heatmap")
SET = ("hist", "strip", "box", "bar", "line", "value")
LISTED = ("hbar", "bar", "dot", "lollipop", "treemap", "table")
SHARED = ("bar", "hbar", "pie", "donut", "dot", "treemap")
GROUPED = ("bar", "hbar", "sbar", "line", "dot", "heatmap")
TASKS = ("gantt", "table")
WORDS = ("table",)


@dataclass(frozen=True, slots=True)
class Understood:
    """What data were read as: a line of `words`, and the words of fitting `types`, the best ones first."""

    words: str
    types: tuple[str, ...]


def understand(text: str, reading: Reading = BY_DATA) -> Understood:
    """Return what data are read as. Accepts any text."""
    try:
        frame = read_frame(text, reading)
    except TooManyCells as refusal:
        return Understood(str(refusal), WORDS)
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
    known = [(text, date) for text, date in zip(column.texts, column.dates, strict=True) if date is not None]
    unclear = next(((text, date) for text, date in known if BY_COLUMN.match(text)), None)
    example = f" ({unclear[0]} is {unclear[1]:%Y-%m-%d})" if unclear else ""
    return f"dates by {_step([text for text, _ in known], [date for _, date in known], column)}{example}"


def _step(texts: list[str], dates: list[datetime], column: Column) -> str:
    if column.clock:
        return "time"
    if all(YEAR.fullmatch(text) for text in texts):
        return "year"
    if all(QUARTER.fullmatch(text) for text in texts):
        return "quarter"
    return "month" if are_months(dates) else "day"


def _types(frame: Frame) -> tuple[str, ...]:
    """Return the words of the types that can draw a frame: those that suit its columns, then all others."""
    fitting = [
        word
        for word, kind in plot_types().items()
        if kind.drawing and (kind.asks is None or not kind.asks(as_type_reads(frame, kind)))
    ]
    first = [word for word in _suited(frame) if word in fitting or word in WORDS]
    return tuple(dict.fromkeys([*first, *fitting, *WORDS]))


def _suited(frame: Frame) -> tuple[str, ...]:
    """Return the types that suit the columns of a frame, the best one first."""
    axis, series = frame.axis, frame.series
    if sum(column.type is ColumnType.DATE for column in frame.columns) > 1:
        return TASKS
    if frame.blank:
        return WORDS
    if axis is None:
        return SET
    if axis.type is ColumnType.DATE:
        return DATED
    if axis.type is ColumnType.NUMBER:
        return NUMBERED
    if frame.height > MANY_ROWS or max(map(len, axis.texts)) > LONG_NAME:
        return LISTED
    return SHARED if len(series) == 1 and frame.height <= FEW_PARTS else GROUPED
