"""Data of a plot as the table of its page: the first rows and columns, and the number of all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from handlers.rendering.interface import (
    ColumnType,
    Reading,
    TooManyCells,
    delimited_text,
    is_like_json,
    read_frame,
)

MOST_ROWS, MOST_COLUMNS = 100, 24
LONGEST_CELL = 200
MOST_LINES = 2 * MOST_ROWS
LONGEST_SAMPLE = 256 * 1024


@dataclass(frozen=True, slots=True)
class Heading:
    """The head of a column, and whether the column has numbers."""

    name: str
    is_number: bool


class SampleCell(NamedTuple):
    """A cell: its text, and the number by which it is sorted, "" without one."""

    text: str
    place: str = ""


@dataclass(frozen=True, slots=True)
class DataSample:
    """The part of a table that is shown; `rows_left` and `columns_left` are the numbers not shown."""

    heads: tuple[Heading, ...]
    rows: tuple[tuple[SampleCell, ...], ...]
    rows_left: int = 0
    columns_left: int = 0

    @property
    def height(self) -> int:
        """Number of rows, including those not shown."""
        return len(self.rows) + self.rows_left

    @property
    def width(self) -> int:
        """Number of columns, including those not shown."""
        return len(self.heads) + self.columns_left


BY_DATA = Reading()
NO_DATA = DataSample((), ())


def sample_data(text: str, reading: Reading = BY_DATA) -> DataSample:
    """Return the sample of a plot's data of any size; rows beyond the sample are counted as lines.

    JSON is read whole, or not at all.
    """
    if is_like_json(text) and len(text) > LONGEST_SAMPLE:
        return NO_DATA
    try:
        text = delimited_text(text)
        head = text[: _end_of_lines(text)]
        frame = read_frame(head, reading)
    except TooManyCells:
        return NO_DATA
    columns = frame.columns[:MOST_COLUMNS]
    cells = (
        [SampleCell(text[:LONGEST_CELL], one.place(row)) for row, text in enumerate(one.texts[:MOST_ROWS])]
        for one in columns
    )
    rows = tuple(zip(*cells, strict=True))
    beyond = text.count("\n", len(head)) + (len(text) > len(head) and not text.endswith("\n"))
    return DataSample(
        tuple(Heading(one.name[:LONGEST_CELL], one.type is ColumnType.NUMBER) for one in columns),
        rows,
        frame.height - len(rows) + beyond,
        len(frame.columns) - len(columns),
    )


def _end_of_lines(text: str) -> int:
    """Return the end of the first MOST_LINES lines, or of those within the longest sample."""
    end = 0
    for _ in range(MOST_LINES):
        found = text.find("\n", end, LONGEST_SAMPLE)
        if found < 0:
            return end if end and len(text) > LONGEST_SAMPLE else min(len(text), LONGEST_SAMPLE)
        end = found + 1
    return end
