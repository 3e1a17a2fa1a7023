"""Tables as pictures: words to the left, numbers to the right, as much as there is room for."""

from __future__ import annotations

from dataclasses import dataclass

from handlers.render.plots.charts.chart import Chart
from handlers.render.plots.charts.sheet import text_line
from handlers.render.plots.data.frame import Column, ColumnType, Frame
from handlers.render.plots.data.numbers import GAP, format_of
from handlers.render.plots.look.style import Style
from handlers.render.plots.look.type_metrics import cut, text_width, wrap

MOST_ROWS = 60
GUTTER = 18


@dataclass(frozen=True, slots=True)
class TableColumn:
    """A column ready to be set: its head, its cells as written, and its width in pixels."""

    head: str
    cells: tuple[str, ...]
    width: float
    rightward: bool


def draw_table(style: Style, frame: Frame, box: float | None) -> Chart:
    """The first rows and as many columns as fit; what is left out is said."""
    step = round(style.label * 2.0)
    most = MOST_ROWS if box is None else max(1, int((box - step * 1.3) / step))
    rows = min(frame.height, most)
    columns = [_column(style, column, rows) for column in frame.columns[:100]]
    shown = _fitting(style, columns)
    head_lines = max((len(wrap(c.head, style.label, c.width, 600, 2)) for c in shown), default=1)
    top = head_lines * style.line + 8
    parts = [*_rules(style, rows, top, step)]
    x = 0.0
    spare = max(0.0, style.inner - sum(c.width for c in shown) - GUTTER * (len(shown) - 1)) if shown else 0.0
    for index, column in enumerate(shown):
        width = column.width + (min(spare, style.inner * 0.25) if index == 0 else 0)
        parts += _set_column(style, column, x, width, top, step)
        x += width + GUTTER
    notes = []
    if len(frame.columns) > len(shown):
        more = len(frame.columns) - len(shown)
        notes.append(f"{more:,} more {'column is' if more == 1 else 'columns are'} in the data.")
    if frame.height > rows:
        more = frame.height - rows
        notes.append(f"{more:,} more {'row is' if more == 1 else 'rows are'} in the data.")
    return Chart(top + rows * step + 2, svg="".join(parts), notes=tuple(notes))


def _column(style: Style, column: Column, rows: int) -> TableColumn:
    if column.type is ColumnType.NUMBER:
        written = format_of(column.numbers)
        year = all(n is None or (1500 <= n < 2200 and n.is_integer()) for n in column.numbers)
        cells = tuple(
            GAP if number is None else text if year else written(number)
            for number, text in zip(column.numbers[:rows], column.texts[:rows], strict=True)
        )
    else:
        cells = tuple(text or GAP for text in column.texts[:rows])
    limit = style.inner * (0.45 if column.type is ColumnType.TEXT else 0.3)
    widest = max((text_width(cell[:200], style.label) for cell in cells), default=0.0)
    head = min(text_width(column.name[:80], style.label, 600), max(widest, style.label * 7))
    return TableColumn(
        column.name, cells, min(limit, max(widest, head, style.label * 2)), column.type is ColumnType.NUMBER
    )


def _fitting(style: Style, columns: list[TableColumn]) -> list[TableColumn]:
    shown: list[TableColumn] = []
    used = 0.0
    for column in columns:
        used += column.width + (GUTTER if shown else 0)
        if shown and used > style.inner + 0.5:
            break
        shown.append(column)
    return shown


def _rules(style: Style, rows: int, top: float, step: float) -> list[str]:
    palette = style.palette
    lines = [f'<path d="M0 {top:g}H{style.inner}" stroke="{palette.edge}" stroke-width="1.2"/>']
    inner = "".join(f"M0 {top + row * step:g}H{style.inner}" for row in range(1, rows + 1))
    return [*lines, f'<path d="{inner}" stroke="{palette.grid}"/>'] if inner else lines


def _set_column(
    style: Style, column: TableColumn, x: float, width: float, top: float, step: float
) -> list[str]:
    palette = style.palette
    at, anchor = (x + width, "end") if column.rightward else (x, "start")
    heads = wrap(column.head, style.label, width, 600, 2)
    first = top - 8 - (len(heads) - 1) * style.line
    parts = [
        text_line(at, first + index * style.line, line, style.label, palette.quiet, weight=600, anchor=anchor)
        for index, line in enumerate(heads)
    ]
    for row, cell in enumerate(column.cells):
        y = top + (row + 0.5) * step + style.label * 0.35
        parts.append(
            text_line(at, y, cut(cell[:200], style.label, width + 1), style.label, palette.ink, anchor=anchor)
        )
    return parts
