"""Tables as pictures: words to the left, numbers to the right, as much as there is room for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from handlers.render.plots.charts.chart import Chart
from handlers.render.plots.charts.sheet import text_line
from handlers.render.plots.charts.table_columns import (
    LEAST,
    LONGEST,
    STEP,
    Cells,
    TableColumn,
    place_columns,
)
from handlers.render.plots.charts.table_rules import (
    TableRules,
    column_gaps,
    gap_line,
    is_marked,
    rows_that_stay,
    suitable_air,
)
from handlers.render.plots.look.style import Style
from handlers.render.plots.look.type_metrics import ELLIPSIS, cut, text_width, wrap
from handlers.render.plots.tables.merged_cells import Span
from handlers.render.plots.tables.styled_table import StyledTable
from handlers.render.plots.tables.table_cell import Bar, TableCell

MOST_ROWS = 60
MOST_LINES = 12
HEAD_LINES = 3
SLANT = -10
FOOT = 2
"""Pixels below the last line."""


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


def draw_table(style: Style, table: StyledTable, box: float | None) -> Chart:
    """The first rows and as many columns as fit; what is left out is said."""
    indices = table.first_columns(max(1, style.inner // LEAST))
    rows = min(table.rows, MOST_ROWS + 1)
    cells = {(row, column): table.cell(row, column) for row in range(rows) for column in indices}
    boxed = any(cell.ground or {"l", "r"} & cell.look.lines.keys() for cell in cells.values())
    columns = place_columns(style, table, cells, rows, boxed=boxed)
    box, every = None if box is None else box - FOOT, tuple(range(rows))
    placed = _place_cells(style, table, cells, columns, every)
    heights = _row_heights(style, placed, rows)
    lost, wants = suitable_air(heights, style.label, box)
    heights = [height - lost for height in heights]
    kept = _rows_shown(table, cells, heights, columns, box)
    if len(kept) < rows:
        placed = _place_cells(style, table, cells, columns, kept)
        heights = [heights[row] for row in kept]
    rows = len(kept)
    labels = _label_widths(style, placed)
    y = _sums(heights)
    x = [column.x for column in columns] + [columns[-1].x + columns[-1].width]
    parts = [
        *(_ground(one, x, y) for one in placed),
        _rules(style, table, placed, rows, len(columns)).svg(x, y),
        gap_line(style, kept, x[-1], y),
        column_gaps(style, [column.index for column in columns], x, y[-1]),
        *(_content(style, one, x, y, labels.get(one.column, 0.0)) for one in placed),
    ]
    notes = _notes(table, rows, len(columns))
    return Chart(y[-1] + FOOT, svg="".join(parts), notes=notes, wants=wants + FOOT)


def _rows_shown(
    table: StyledTable,
    cells: Cells,
    heights: Sequence[float],
    columns: Sequence[TableColumn],
    box: float | None,
) -> tuple[int, ...]:
    """The rows that find room; of a table with merged cells the first ones, so that none is torn."""
    indices, rows = [column.index for column in columns], len(heights)
    heads = min(table.head_rows, rows - 1)
    if table.merges.within(rows, indices) or rows > MOST_ROWS:
        return rows_that_stay(heights, heads, [False] * rows, box)
    marked = [is_marked([cells[row, index] for index in indices]) for row in range(rows)]
    return rows_that_stay(heights, heads, marked, box)


def _notes(table: StyledTable, rows: int, columns: int) -> tuple[str, ...]:
    """A sentence on what is left out; the row of names is not counted."""
    counted = ((rows - 1, table.rows - 1, "row"), (columns, table.columns, "column"))
    short = [
        f"{shown:,} of {of:,} {what}{'' if of == 1 else 's'}" for shown, of, what in counted if shown < of
    ]
    return (f"{' and '.join(short)} shown.",) if short else ()


def _place_cells(
    style: Style, table: StyledTable, cells: Cells, columns: Sequence[TableColumn], kept: Sequence[int]
) -> list[TableBox]:
    """Every box of the rows that are drawn, merges as one."""
    indices = [column.index for column in columns]
    merges = table.merges.within(len(kept), indices)
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
            cell = cells[number, column.index]
            if span is not None and (span.row, span.column) != (row, column.index):
                cell = table.cell(span.row, span.column)
            placed.append(_place(style, cell, row, place, span or Span(row, column.index), columns))
    return placed


def _place(
    style: Style, cell: TableCell, row: int, place: int, span: Span, columns: Sequence[TableColumn]
) -> TableBox:
    last = columns[place + span.columns - 1]
    width = last.x + last.width - columns[place].x
    left = columns[place].left + STEP * cell.look.space.get("l", 0)
    right = last.right + STEP * cell.look.space.get("r", 0)
    lines = _lines(style, cell, width - left - right, last.index == columns[-1].index)
    return TableBox(cell, row, place, span, tuple(lines), width, left, right)


def _lines(style: Style, cell: TableCell, room: float, last: bool) -> list[str]:
    """The text of a cell as it fits: in lines, cut, or over its neighbours."""
    size, weight = style.label * cell.look.scale, 600 if "b" in cell.look.emphasis else 400
    text = " ".join(cell.text[: LONGEST if cell.look.overflow != "wrap" else 5 * LONGEST].split())
    if not text:
        return []
    if text_width(text, size, weight) <= room + 1:
        return [text]
    if cell.look.overflow == "wrap" or (cell.head and cell.look.overflow == "ellipsis"):
        return wrap(text, size, room, weight, HEAD_LINES if cell.head else MOST_LINES)
    if cell.look.overflow == "overflow" and not last:
        return [cut(text, size, style.inner, weight)]
    if cell.number is not None:
        return [ELLIPSIS]
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


def _row_heights(style: Style, placed: Sequence[TableBox], rows: int) -> list[float]:
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


def _sums(heights: Sequence[float]) -> list[float]:
    sums = [0.0]
    for height in heights:
        sums.append(sums[-1] + height)
    return sums


def _rules(
    style: Style, table: StyledTable, placed: Sequence[TableBox], rows: int, columns: int
) -> TableRules:
    heads = min(table.head_rows, rows)
    rules = TableRules(style.palette, rows, columns, heads)
    for one in placed:
        rules.open(one.span, one.row, one.column)
        if one.cell.head and one.span.columns > 1 and one.row + one.span.rows < heads:
            rules.underline(one.span, one.row, one.column)
    for one in placed:
        rules.tell(one.cell.look.lines, one.span, one.row, one.column)
    return rules


def _ground(one: TableBox, x: Sequence[float], y: Sequence[float]) -> str:
    if one.cell.ground is None:
        return ""
    top, height = y[one.row], y[one.row + one.span.rows] - y[one.row]
    return (
        f'<rect x="{x[one.column]:g}" y="{top:g}" width="{one.width:g}" height="{height:g}"'
        f' fill="{one.cell.ground}"/>'
    )


def _label_widths(style: Style, placed: Sequence[TableBox]) -> dict[int, float]:
    """The room beside the bars of a column for their numbers, with the air before it."""
    widths: dict[int, float] = {}
    for one in placed:
        if one.cell.bar is not None and one.cell.bar.label:
            width = text_width(one.cell.bar.label, style.label) + style.label * 0.6
            widths[one.column] = max(widths.get(one.column, 0.0), width)
    return widths


def _content(style: Style, one: TableBox, x: Sequence[float], y: Sequence[float], label: float) -> str:
    """The bar or the text of a box; `label` is the room for the number beside a bar."""
    cell, left = one.cell, x[one.column]
    top, bottom = y[one.row], y[one.row + one.span.rows]
    if cell.bar is not None:
        ends = (left + one.left, left + one.width - one.right)
        return _bar(style, cell, cell.bar, ends, (top + bottom) / 2, label)
    size = style.label * cell.look.scale
    step = size * 1.25
    block = (len(one.lines) - 1) * step
    air = style.label * 0.5
    first = {
        "top": top + style.label + STEP * cell.look.space.get("t", 0) + size * 0.35,
        "middle": (top + bottom) / 2 - block / 2 + size * 0.35,
        "bottom": bottom - air - STEP * cell.look.space.get("b", 0) - block - size * 0.12,
    }[cell.look.vertical]
    at, anchor = {
        "left": (left + one.left, "start"),
        "center": (left + (one.left + one.width - one.right) / 2, "middle"),
        "right": (left + one.width - one.right, "end"),
    }[cell.look.horizontal]
    return "".join(
        _text(style, cell, at, first + index * step, line, anchor) for index, line in enumerate(one.lines)
    )


def _text(style: Style, cell: TableCell, x: float, y: float, line: str, anchor: str) -> str:
    """One line of a cell; the bundled typeface has no italics, so they are slanted."""
    color = cell.ink or (style.palette.quiet if cell.head else style.palette.ink)
    weight = 600 if "b" in cell.look.emphasis else 400
    size = style.label * cell.look.scale
    slanted = "i" in cell.look.emphasis
    svg = text_line(0 if slanted else x, 0 if slanted else y, line, size, color, weight=weight, anchor=anchor)
    marks = [
        word for letter, word in (("u", "underline"), ("s", "line-through")) if letter in cell.look.emphasis
    ]
    if marks:
        svg = svg.replace("<text ", f'<text text-decoration="{" ".join(marks)}" ', 1)
    return f'<g transform="translate({x:g},{y:g}) skewX({SLANT})">{svg}</g>' if slanted else svg


def _bar(
    style: Style, cell: TableCell, bar: Bar, sides: tuple[float, float], middle: float, label: float
) -> str:
    """A bar between its ends, its middle line, and its number at the right."""
    left, right = sides
    room = max(4.0, right - left - label)
    ends = sorted((left + bar.start * room, left + bar.end * room))
    height = style.label * 0.85
    color = cell.ink or style.category(1 if bar.negative else 0)
    width = max(ends[1] - ends[0], 1.0 if bar.start != bar.end else 0.0)
    parts = []
    if width:
        parts.append(
            f'<rect x="{ends[0]:.2f}" y="{middle - height / 2:.2f}" width="{width:.2f}"'
            f' height="{height:.2f}" fill="{color}"/>'
        )
    if bar.middle is not None:
        x = left + bar.middle * room
        path = f"M{x:.2f} {middle - height * 0.8:.2f}v{height * 1.6:.2f}"
        parts.append(f'<path d="{path}" stroke="{style.palette.zero}"/>')
    if bar.label:
        baseline = middle + style.label * 0.35
        parts.append(text_line(right, baseline, bar.label, style.label, style.palette.ink, anchor="end"))
    return "".join(parts)
