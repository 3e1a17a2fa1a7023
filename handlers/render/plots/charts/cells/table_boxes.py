"""Boxes of a table in a picture: its cells and merges with their texts in lines, and heights of rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from handlers.render.plots.charts.cells.table_columns import LONGEST, STEP, Cells, TableColumn
from handlers.render.plots.look.style import Style
from handlers.render.plots.look.type_metrics import ELLIPSIS, cut, text_width, wrap
from handlers.render.plots.tables.merged_cells import Span
from handlers.render.plots.tables.styled_table import StyledTable
from handlers.render.plots.tables.table_cell import TableCell

MOST_LINES = 12
HEAD_LINES = 3


@dataclass(frozen=True, slots=True)
class TableBox:
    """A cell, or a merge of several, in its box, with its text broken into lines."""

    cell: TableCell
    row: int
    column: int
    span: Span
    lines: tuple[str, ...]
    width: float
    left: float
    right: float

    @property
    def is_cut(self) -> bool:
        """Whether less than the text of the cell is shown."""
        shown = "".join(self.lines).replace("-", "")
        return shown != "".join(self.cell.text.split()).replace("-", "") and bool(self.lines)


def place_cells(
    style: Style,
    table: StyledTable,
    cells: Cells,
    columns: Sequence[TableColumn],
    kept: Sequence[int],
    most: int = MOST_LINES,
) -> list[TableBox]:
    """Every box of the rows that are drawn, merges as one; texts have `most` lines, names of rows all."""
    merges = table.merges.within(kept, [column.index for column in columns])
    covered = {
        (row, place)
        for (top, left), span in merges.items()
        for row in range(top, top + span.rows)
        for place in range(left, left + span.columns)
    }
    placed = []
    for row, number in enumerate(kept):
        for place, column in enumerate(columns):
            span = merges.get((row, place))
            if span is None and (row, place) in covered:
                continue
            span = span or Span(number, column.index)
            cell = cells.get((span.row, span.column)) or table.cell(span.row, span.column)
            lines = HEAD_LINES if cell.head else MOST_LINES if span.column < table.row_heads else most
            placed.append(_place(style, cell, (row, place), span, columns, lines))
    return placed


def _place(
    style: Style,
    cell: TableCell,
    at: tuple[int, int],
    span: Span,
    columns: Sequence[TableColumn],
    most: int,
) -> TableBox:
    row, place = at
    last = columns[place + span.columns - 1]
    width = last.x + last.width - columns[place].x
    left = columns[place].left + STEP * cell.look.space.get("l", 0)
    right = last.right + STEP * cell.look.space.get("r", 0)
    lines = _lines(style, cell, width - left - right, most, last=last.index == columns[-1].index)
    return TableBox(cell, row, place, span, tuple(lines), width, left, right)


def _lines(style: Style, cell: TableCell, room: float, most: int, *, last: bool) -> list[str]:
    """The text of a cell as it fits: in lines, cut, or over its neighbours."""
    size, weight = style.label * cell.look.scale, 600 if "b" in cell.look.emphasis else 400
    wraps = cell.look.overflow == "wrap" or (cell.head and cell.look.overflow == "ellipsis")
    longest = 5 * LONGEST if wraps else LONGEST
    text = " ".join(cell.text[:longest].split()) + ELLIPSIS * (len(cell.text) > longest)
    if not text:
        return []
    if text_width(text, size, weight) <= room + 1:
        return [text]
    if cell.look.overflow == "overflow" and not last:
        return [cut(text, size, style.inner, weight)]
    if cell.number is not None and not cell.head:
        return [ELLIPSIS]
    if wraps:
        return wrap(text, size, room, weight, most)
    if cell.look.overflow == "truncate":
        return [_whole_words(text, size, room, weight)]
    return [cut(text, size, room + 1, weight)]


def _whole_words(text: str, size: float, room: float, weight: int) -> str:
    """The first words that fit; of a single one that does not, its beginning."""
    words = text.split()
    while len(words) > 1 and text_width(" ".join(words), size, weight) > room:
        words.pop()
    line = " ".join(words)
    return line if text_width(line, size, weight) <= room else cut(line, size, room, weight)


def row_heights(style: Style, placed: Sequence[TableBox], rows: int) -> list[float]:
    """Whole pixels for each row; a merge over several rows is given what it lacks in its last one."""
    heights = [round(style.label * 2.0)] * rows
    for one in sorted(placed, key=lambda one: one.span.rows):
        line = style.label * one.cell.look.scale * 1.25
        space = STEP * (one.cell.look.space.get("t", 0) + one.cell.look.space.get("b", 0))
        wanted = max(1, len(one.lines)) * line + style.label * 0.75 + space
        last = min(rows, one.row + one.span.rows) - 1
        lacking = round(wanted) - sum(heights[one.row : last + 1])
        heights[last] += max(0, lacking)
    return [float(height) for height in heights]
