"""Tables as pictures: words left-aligned, numbers right-aligned, as many rows and columns as fit."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate, groupby, product
from xml.sax.saxutils import escape

from handlers.render.plots.charts.cells.table_columns import (
    BRACKET,
    LEAST,
    MOST_LINES,
    TableBox,
    padding,
    place_cells,
    place_columns,
    row_heights,
)
from handlers.render.plots.charts.chart import Chart
from handlers.render.plots.charts.sheet import Block, lines_block, text_line
from handlers.render.plots.look.palette import Palette
from handlers.render.plots.look.style import Style
from handlers.render.plots.look.type_metrics import text_width
from handlers.render.plots.tables.cell_words import Bar, TableCell
from handlers.render.plots.tables.kept_rows import first_rows, rows_that_stay, shown_words, sums_of
from handlers.render.plots.tables.styled_table import StyledTable

SLANT = -10
LONGEST_TITLE = 1_000
"""Most characters of the tooltip of a cut text."""


def ground_svg(one: TableBox, x: Sequence[float], y: Sequence[float]) -> str:
    """Return the background of a box, or "" without one."""
    if one.cell.ground is None:
        return ""
    top, height = y[one.row], y[one.row + one.span.rows] - y[one.row]
    return (
        f'<rect x="{x[one.column]:g}" y="{top:g}" width="{one.width:g}" height="{height:g}"'
        f' fill="{one.cell.ground}"/>'
    )


def label_widths(style: Style, placed: Sequence[TableBox]) -> dict[int, float]:
    """Return the width beside the bars of each column for their numbers, with the gap before them."""
    widths: dict[int, float] = {}
    for one in placed:
        if one.cell.bar is not None and one.cell.bar.label:
            width = text_width(one.cell.bar.label, style.label) + style.label * 0.6
            widths[one.column] = max(widths.get(one.column, 0.0), width)
    return widths


def content_svg(
    style: Style, one: TableBox, x: Sequence[float], y: Sequence[float], label: float, lift: float = 0.0
) -> str:
    """Return the bar or the text of a box; `label` is the width beside a bar, `lift` the removed padding."""
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
        "top": top - lift + style.label + padding(cell, "t") + size * 0.35,
        "middle": (top + bottom) / 2 - block / 2 + size * 0.35,
        "bottom": bottom + lift - air - padding(cell, "b") - block - size * 0.12,
    }[cell.look.vertical]
    at, anchor = {
        "left": (left + one.left, "start"),
        "center": (left + (one.left + one.width - one.right) / 2, "middle"),
        "right": (left + one.width - one.right - text_width(BRACKET * cell.hangs, size), "end"),
    }[cell.look.horizontal]
    svg = "".join(
        _text(style, cell, at, first + index * step, line, anchor) for index, line in enumerate(one.lines)
    )
    return f"<g><title>{escape(cell.text[:LONGEST_TITLE])}</title>{svg}</g>" if one.is_cut else svg


def _text(style: Style, cell: TableCell, x: float, y: float, line: str, anchor: str) -> str:
    """Return one line of a cell; italic text is slanted, because the bundled typeface has no italics."""
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
    """Return a bar between its ends, its middle line, and its number at the right."""
    left, right = sides
    room = max(4.0, right - left - label)
    ends = sorted((left + bar.start * room, left + bar.end * room))
    height = style.label * 0.85
    color = cell.ink or style.category(1 if bar.negative else 0)
    width = max(ends[1] - ends[0], 1.0 if bar.start != bar.end else 0.0)
    parts = []
    if bar.points:
        spots = [(left + x * room, middle + height * (0.5 - y)) for x, y in bar.points]
        path = "L".join(f"{x:.2f},{y:.2f}" for x, y in spots)
        tone, (x, y) = cell.ink or style.category(0), spots[-1]
        parts.append(
            f'<path d="M{path}" fill="none" stroke="{tone}" stroke-width="1.5" stroke-linejoin="round"/>'
        )
        parts.append(f'<circle cx="{x:.2f}" cy="{y:.2f}" r="2" fill="{tone}"/>')
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


AIRS = (0.75, 0.6, 0.45, 0.32)
"""Padding of a row above and below its lines, in heights of its label, from the usual to the least."""
AIR = 6
Look = tuple[float, str]
"""A line's thickness in pixels, and its colour."""
Edge = tuple[bool, int, int]
"""Whether a line stands, its boundary, counted from the first edge, and the row or column along it."""


class TableRules:
    """The lines of a table of drawn rows and columns."""

    def __init__(
        self, palette: Palette, rows: int, columns: int, heads: int, placed: Sequence[TableBox]
    ) -> None:
        self._edge = palette.edge
        self._looks: dict[Edge, Look] = {}
        self._widest: dict[Edge, int] = {}
        for column, row in product(range(columns), range(heads, rows + 1)):
            self._looks[False, row, column] = (1.2, palette.edge) if row == heads else (1.0, palette.grid)
        shared = (one for one in placed if one.cell.head and one.span.columns > 1)
        self._underlined = [one for one in shared if one.row + one.span.rows < heads]
        for one in placed:  # merged cells have no lines inside
            for row in range(one.row + 1, one.row + one.span.rows):
                for column in range(one.column, one.column + one.span.columns):
                    self._looks.pop((False, row, column), None)
        for one in placed:
            self._add(one)

    def svg(self, x: Sequence[float], y: Sequence[float]) -> str:
        """Return the lines as paths, given the positions of all boundaries."""
        paths = defaultdict[Look, list[str]](list)
        for look, standing, at, a, b in _runs(self._looks):
            path = f"M{x[at]:g} {y[a]:g}V{y[b]:g}" if standing else f"M{x[a]:g} {y[at]:g}H{x[b]:g}"
            paths[look].append(path)
        for one in self._underlined:  # a head of several columns has a gap before the next line
            at, a, b = one.row + one.span.rows, one.column, one.column + one.span.columns
            if all((False, at, place) not in self._looks for place in range(a, b)):
                path = f"M{x[a] + AIR:g} {y[at]:g}H{x[b] - AIR * (b < len(x) - 1):g}"
                paths[1.0, self._edge].append(path)
        return "".join(
            f'<path d="{"".join(parts)}" stroke="{color}" stroke-width="{size:g}" fill="none"/>'
            for (size, color), parts in paths.items()
        )

    def _add(self, one: TableBox) -> None:
        """Add the lines that are set for a cell; of two lines in one place, the thicker one is drawn."""
        right, below = one.column + one.span.columns, one.row + one.span.rows
        across, down = range(one.column, right), range(one.row, below)
        sides = {
            "t": (False, one.row, across), "b": (False, below, across),
            "l": (True, one.column, down), "r": (True, right, down),
        }  # fmt: skip
        for side, line in one.cell.look.lines.items():
            standing, boundary, along = sides[side]
            for edge in ((standing, boundary, at) for at in along):
                if line.size < self._widest.get(edge, 0):
                    continue
                self._widest[edge] = line.size
                if line.size:
                    self._looks[edge] = (float(line.size), line.color or self._edge)
                else:
                    self._looks.pop(edge, None)


def _runs(looks: Mapping[Edge, Look]) -> Iterable[tuple[Look, bool, int, int, int]]:
    """Yield adjacent pieces of one look as a line: whether it stands, its boundary, first and last index."""
    pieces = enumerate(sorted((*edge, look) for edge, look in looks.items()))
    for _, group in groupby(pieces, key=lambda piece: (*piece[1][:2], piece[1][2] - piece[0], piece[1][3])):
        (_, (standing, boundary, first, look)), *others = group
        yield look, standing, boundary, first, first + len(others) + 1


def suitable_air(heights: Sequence[float], lines: float, box: float | None) -> tuple[float, float]:
    """Return the padding to remove from each row so that a table fits in a box, and the resulting height.

    `lines` is the height of a label.
    """
    lost, total = 0.0, sum(heights)
    for air in AIRS:
        lost = (AIRS[0] - air) * lines
        total = sum(heights) - lost * len(heights)
        if box is None or total <= box:
            break
    return lost, total


def gap_lines(
    style: Style,
    kept: tuple[Sequence[int], Sequence[int]],
    left_out: tuple[bool, bool],
    x: Sequence[float],
    y: Sequence[float],
) -> str:
    """Return a dotted line wherever rows or columns are left out between two that are `kept` (by number).

    `left_out` is whether more rows follow the last one, and more columns.
    """
    rows, columns = kept
    down = [at for at in range(1, len(rows)) if rows[at] != rows[at - 1] + 1]
    across = [at for at in range(1, len(columns)) if columns[at] != columns[at - 1] + 1]
    down += [len(rows)] * left_out[0]
    across += [len(columns)] * left_out[1]
    paths = [f"M0 {y[at]:g}H{x[-1]:g}" for at in down] + [f"M{x[at]:g} 0V{y[-1]:g}" for at in across]
    paper, dots = style.palette.paper, f'stroke="{style.palette.edge}" stroke-dasharray="2 3"'
    return "".join(
        f'<path d="{path}" stroke="{paper}" stroke-width="1.6"/><path d="{path}" {dots} stroke-width="1.2"/>'
        for path in paths
    )


MOST_ROWS = 60
FEWER_LINES, MOST_LINES_OF_FEW = (MOST_LINES, 3, 2), 4
"""Most lines of a text: tried in turn before rows are left out, and for the rows that are kept then."""
PAGE = 1.4
"""Height of a sheet of paper in widths.

A higher table has less padding, so that it is not scaled down on paper.
"""
FOOT = 2
"""Pixels below the last line."""
Place = Callable[[Sequence[int], int], list[TableBox]]
"""Function that returns the boxes of some rows, with at most a number of lines of text."""


@dataclass(frozen=True, slots=True)
class TableRows:
    """The rows that are drawn, by number, with their boxes and heights, and the padding removed from each."""

    kept: tuple[int, ...]
    placed: Sequence[TableBox]
    heights: Sequence[float]
    lost: float
    wants: float


def draw_table(style: Style, table: StyledTable, box: float | None) -> Chart:
    """Draw the first rows and as many columns as fit, and a sentence about the others below them."""
    indices = table.first_columns(max(1, style.inner // LEAST))
    rows = first_rows(table, MOST_ROWS)
    cells = {(row, column): table.cell(row, column) for row in rows for column in indices}
    boxed = any(cell.ground or {"l", "r"} & cell.look.lines.keys() for cell in cells.values())
    columns = place_columns(style, table, cells, rows, boxed=boxed)
    place: Place = partial(place_cells, style, table, cells, columns)

    def draw_over(note: Block) -> TableRows:
        room = None if box is None else box - FOOT - note.height
        return _rows_drawn(style, table, rows, room, place)

    note = _note(style, table, len(rows), len(columns))
    drawn = draw_over(note)
    if len(drawn.kept) < len(rows) and not note.height:
        drawn = draw_over(_note(style, table, len(drawn.kept), len(columns)))
    count = len(drawn.kept)
    note = _note(style, table, count, len(columns))
    y = list(accumulate(drawn.heights, initial=0.0))
    x = [column.x for column in columns] + [columns[-1].x + columns[-1].width]
    labels = label_widths(style, drawn.placed)
    shown = [column.index for column in columns]
    more = (drawn.kept[-1] < table.rows - 1, shown[-1] < table.columns - 1)
    parts = [
        *(ground_svg(one, x, y) for one in drawn.placed),
        TableRules(style.palette, count, len(columns), min(table.head_rows, count), drawn.placed).svg(x, y),
        gap_lines(style, (drawn.kept, shown), more, x, y),
        *(content_svg(style, one, x, y, labels.get(one.column, 0.0), drawn.lost / 2) for one in drawn.placed),
        f'<g transform="translate(0,{y[-1] + FOOT:g})">{note.svg}</g>' if note.height else "",
    ]
    height = FOOT + note.height
    words = shown_words(table, count, len(columns))
    logged = (words,) if words else ()
    return Chart(y[-1] + height, svg="".join(parts), logged=logged, wants=drawn.wants + height)


def _note(style: Style, table: StyledTable, rows: int, columns: int) -> Block:
    """Return the sentence about what is left out, with the gap above it; of height 0 if nothing is."""
    words = shown_words(table, rows, columns)
    if not words:
        return Block("", 0.0)
    air, lines = round(style.source * 0.6), lines_block(style, words, style.source, style.palette.quiet)
    return Block(f'<g transform="translate(0,{air})">{lines.svg}</g>', air + lines.height)


def _rows_drawn(
    style: Style, table: StyledTable, rows: tuple[int, ...], room: float | None, place: Place
) -> TableRows:
    """Return the rows that fit in a height: first padding is reduced, then lines, then rows."""
    wants = 0.0
    page = None if style.narrow else PAGE * style.width
    for most in FEWER_LINES:
        placed = place(rows, most)
        heights = row_heights(style, placed, len(rows))
        lost, total = suitable_air(heights, style.label, page if room is None else room)
        wants = wants or total
        if room is None or total <= room:
            break
    else:  # rows are left out anyway: give the others their usual look
        most = MOST_LINES_OF_FEW
        placed = place(rows, most)
        heights = row_heights(style, placed, len(rows))
    heights = [height - lost for height in heights]
    heads = min(table.head_rows, len(rows) - 1)
    places = rows_that_stay(heights, heads, sums_of(table, rows), room)
    kept = tuple(rows[place] for place in places)
    if len(kept) < len(rows):
        placed = place(kept, most)
        heights = [heights[place] for place in places]
    return TableRows(kept, placed, heights, lost, wants)
