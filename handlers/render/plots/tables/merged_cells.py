"""Merged cells: rectangles of a table that are drawn as their first cell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from handlers.render.plots.tables.instructions import CellInstruction
from handlers.render.plots.tables.slices import Indices

MOST_COVERED = 200_000


@dataclass(frozen=True, slots=True)
class Span:
    """A rectangle of cells: its first row and column, and how many of each."""

    row: int
    column: int
    rows: int = 1
    columns: int = 1

    def cells(self) -> list[tuple[int, int]]:
        """The places in it, the first one first."""
        return [
            (row, column)
            for row in range(self.row, self.row + self.rows)
            for column in range(self.column, self.column + self.columns)
        ]


class MergedCells:
    """The merges of a table; one that overlaps an earlier one, or is no rectangle, is noted and left out."""

    def __init__(self, path: str, lines: Sequence[CellInstruction[str]], height: int, width: int) -> None:
        self.notes: list[str] = []
        self.spans: list[Span] = []
        self._covered: dict[tuple[int, int], Span] = {}
        for line in lines:
            reason = self._merge(line.rows.of(height), line.columns.of(width))
            if reason:
                self.notes.append(f"{path}, line {line.line}: {reason}")

    def span(self, row: int, column: int) -> Span:
        """The rectangle that a cell is part of; itself alone where it is not merged."""
        return self._covered.get((row, column)) or Span(row, column)

    def within(self, rows: Sequence[int], columns: Sequence[int]) -> dict[tuple[int, int], Span]:
        """Merges as they look when only these rows and columns are drawn, by the place of their first cell.

        Rows and columns of the spans count the drawn ones.
        """
        down = {row: place for place, row in enumerate(rows)}
        across = {column: place for place, column in enumerate(columns)}
        drawn = {}
        for span in self.spans:
            left = [across[at] for at in range(span.column, span.column + span.columns) if at in across]
            top = [down[at] for at in range(span.row, span.row + span.rows) if at in down]
            if left and top and left[-1] - left[0] + 1 == len(left):
                drawn[top[0], left[0]] = Span(span.row, span.column, len(top), len(left))
        return drawn

    def _merge(self, rows: Indices, columns: Indices) -> str:
        """Keep a rectangle, or tell the reason against it."""
        if not rows or not columns:
            return "selects no cell of the table"
        top, left = min(rows), min(columns)
        height, width = max(rows) - top + 1, max(columns) - left + 1
        if len(rows) != height or len(columns) != width:
            return "only neighbouring rows and columns are merged"
        span = Span(top, left, height, width)
        if height * width + len(self._covered) > MOST_COVERED:
            return f"more than {MOST_COVERED:,} cells are merged"
        places = span.cells()
        if not self._covered.keys().isdisjoint(places):
            return "overlaps a merge of a line above"
        self._covered.update(dict.fromkeys(places, span))
        self.spans.append(span)
        return ""
