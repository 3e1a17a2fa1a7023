"""Tables as pictures: words to the left, numbers to the right, as much as there is room for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from handlers.render.plots.charts.cells.cell_marks import content_svg, ground_svg, label_widths
from handlers.render.plots.charts.cells.table_boxes import MOST_LINES, TableBox, place_cells, row_heights
from handlers.render.plots.charts.cells.table_columns import LEAST, Cells, TableColumn, place_columns
from handlers.render.plots.charts.cells.table_rules import TableRules, gap_lines, suitable_air
from handlers.render.plots.charts.chart import Chart
from handlers.render.plots.charts.sheet import Block, lines_block
from handlers.render.plots.look.style import Style
from handlers.render.plots.tables.kept_rows import first_rows, rows_that_stay, shown_words, sums_of
from handlers.render.plots.tables.styled_table import StyledTable

MOST_ROWS = 60
FEWER_LINES, MOST_LINES_OF_FEW = (MOST_LINES, 3, 2), 4
"""Lines of a text in a box that is too low, before rows are left out, and of those that then stay."""
PAGE = 1.4
"""Height of a sheet of paper in widths: a higher table has less air, so that it is not set smaller there."""
FOOT = 2
"""Pixels below the last line."""


@dataclass(frozen=True, slots=True)
class TableRows:
    """The rows that are drawn, by number, with their boxes and heights, which lost some air each."""

    kept: tuple[int, ...]
    placed: Sequence[TableBox]
    heights: Sequence[float]
    lost: float
    wants: float


def draw_table(style: Style, table: StyledTable, box: float | None) -> Chart:
    """The first rows and as many columns as fit; what is left out is said below them."""
    indices = table.first_columns(max(1, style.inner // LEAST))
    rows = first_rows(table, MOST_ROWS)
    cells = {(row, column): table.cell(row, column) for row in rows for column in indices}
    boxed = any(cell.ground or {"l", "r"} & cell.look.lines.keys() for cell in cells.values())
    columns = place_columns(style, table, cells, rows, boxed=boxed)
    room = None if box is None else box - FOOT
    note = _note(style, table, rows, columns)
    drawn = _rows_drawn(style, table, cells, columns, rows, room, note.height)
    if len(drawn.kept) < len(rows) and not note.height:
        note = _note(style, table, drawn.kept, columns)
        drawn = _rows_drawn(style, table, cells, columns, rows, room, note.height)
    note = _note(style, table, drawn.kept, columns)
    y = _sums(drawn.heights)
    x = [column.x for column in columns] + [columns[-1].x + columns[-1].width]
    labels = label_widths(style, drawn.placed)
    shown = [column.index for column in columns]
    more = (drawn.kept[-1] < table.rows - 1, shown[-1] < table.columns - 1)
    parts = [
        *(ground_svg(one, x, y) for one in drawn.placed),
        _rules(style, table, drawn.placed, len(drawn.kept), len(columns)).svg(x, y),
        gap_lines(style, (drawn.kept, shown), more, x, y),
        *(content_svg(style, one, x, y, labels.get(one.column, 0.0), drawn.lost / 2) for one in drawn.placed),
        f'<g transform="translate(0,{y[-1] + FOOT:g})">{note.svg}</g>' if note.height else "",
    ]
    height = FOOT + note.height
    words = shown_words(table, len(drawn.kept), len(columns))
    told = (words,) if words else ()
    return Chart(y[-1] + height, svg="".join(parts), told=told, wants=drawn.wants + height)


def _note(style: Style, table: StyledTable, rows: Sequence[int], columns: Sequence[TableColumn]) -> Block:
    """The sentence on what is left out, with the air above it; no height where nothing is."""
    words = shown_words(table, len(rows), len(columns))
    if not words:
        return Block("", 0.0)
    air, lines = round(style.source * 0.6), lines_block(style, words, style.source, style.palette.quiet)
    return Block(f'<g transform="translate(0,{air})">{lines.svg}</g>', air + lines.height)


def _rows_drawn(
    style: Style,
    table: StyledTable,
    cells: Cells,
    columns: Sequence[TableColumn],
    rows: tuple[int, ...],
    box: float | None,
    below: float,
) -> TableRows:
    """The rows that find room above what stands `below`: air goes, then lines of texts, then rows."""
    room, wants = None if box is None else box - below, 0.0
    page = None if style.narrow else PAGE * style.width
    for most in FEWER_LINES:
        placed = place_cells(style, table, cells, columns, rows, most)
        heights = row_heights(style, placed, len(rows))
        lost, total = suitable_air(heights, style.label, page if room is None else room)
        wants = wants or total
        if room is None or total <= room:
            break
    else:  # rows go anyway: those that stay are better read
        most = MOST_LINES_OF_FEW
        placed = place_cells(style, table, cells, columns, rows, most)
        heights = row_heights(style, placed, len(rows))
    heights = [height - lost for height in heights]
    heads = min(table.head_rows, len(rows) - 1)
    places = rows_that_stay(heights, heads, sums_of(table, rows), room)
    kept = tuple(rows[place] for place in places)
    if len(kept) < len(rows):
        placed = place_cells(style, table, cells, columns, kept, most)
        heights = [heights[place] for place in places]
    return TableRows(kept, placed, heights, lost, wants)


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
