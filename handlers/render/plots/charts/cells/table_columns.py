"""Columns of a table in a picture with their widths, and its cells with their texts in lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from handlers.render.plots.look.style import Style
from handlers.render.plots.look.type_metrics import ELLIPSIS, cut, text_width, widest, wrap
from handlers.render.plots.tables.cell_words import TableCell
from handlers.render.plots.tables.instructions import Span
from handlers.render.plots.tables.styled_table import StyledTable

LEAST = 24
"""Pixels of the narrowest column, including padding."""
LONG_WORD = 9.0
"""Width up to which a word of a name is not broken, in font sizes of labels."""
BAR = 6.0
"""Width of a bar's space, in font sizes of labels."""
LONGEST = 200
"""Most characters of a cell that are measured and drawn."""
BRACKET = ")"
STEP = 4
"""Pixels of one step of padding."""

Cells = Mapping[tuple[int, int], TableCell]


@dataclass(frozen=True, slots=True)
class TableColumn:
    """A column that is drawn: its index in the data, its left edge, its width, and its padding."""

    index: int
    x: float
    width: float
    left: float
    right: float

    @property
    def room(self) -> float:
        """Width for content."""
        return self.width - self.left - self.right


@dataclass(frozen=True, slots=True)
class WidthNeed:
    """The width of a column's whole content, its natural width within limits, and its least width."""

    index: int
    full: float
    natural: float
    least: float
    priority: int


def place_columns(
    style: Style, table: StyledTable, cells: Cells, rows: Sequence[int], *, boxed: bool
) -> list[TableColumn]:
    """Return the columns that fit, with widths; `boxed` cells have padding at the table's edges, too."""
    inner = float(min(style.inner, table.units or style.inner))
    air = round(style.label * 0.65)
    indices = sorted({column for _, column in cells})
    needs = [_need(style, table, index, cells, rows, air) for index in indices]
    edges = 0.0 if boxed else 2.0 * air
    kept = fitting_columns(needs, inner + edges)
    widths = _shrunk(kept, inner + edges)
    if table.units is None or sum(widths) > inner:
        widths = _spread(style, table, kept, widths, inner + edges)
    columns, x = list[TableColumn](), 0.0
    for place, (need, width) in enumerate(zip(kept, widths, strict=True)):
        left = 0.0 if place == 0 and not boxed else air
        right = 0.0 if place == len(kept) - 1 and not boxed else air
        whole = round(width - (air - left) - (air - right))
        columns.append(TableColumn(need.index, x, max(8.0, whole), left, right))
        x += max(8.0, whole)
    return columns


def cell_width(style: Style, cell: TableCell) -> float:
    """Return the width of a cell's text in one line, with the padding set for the cell."""
    weight = 600 if "b" in cell.look.emphasis else 400
    text = cell.text[:LONGEST] + BRACKET * cell.hangs
    return text_width(text, style.label * cell.look.scale, weight) + padding(cell)


def padding(cell: TableCell, sides: str = "lr") -> float:
    """Return the pixels of padding that are set for some sides of a cell: left, right, top and bottom."""
    return STEP * sum(cell.look.space.get(side, 0) for side in sides)


def _need(
    style: Style, table: StyledTable, index: int, cells: Cells, rows: Sequence[int], air: float
) -> WidthNeed:
    """Return the natural and the least width of a column, with padding."""
    own = [
        (row, cells[row, index])
        for row in rows
        if table.merges.span(row, index).columns == 1 and (row, index) in cells
    ]
    body = max((_body_width(style, cell) for _, cell in own if not cell.head), default=0.0)
    heads = [cell for _, cell in own if cell.head]
    head = max((_head_width(style, cell, body) for cell in heads), default=0.0)
    natural = max(body, head, style.label * 1.2)
    number = table.is_number(index)
    many = len({column for _, column in cells}) > 2
    limit = style.inner * (0.4 if many else 0.8)
    barred = any(cell.bar is not None for _, cell in own)
    least = natural if number and not barred else min(natural, max(head, style.label * 5.5))
    if index < table.row_heads and not number:  # words of names are not broken, unless they are very long
        least = min(natural, max(least, _longest_word(style, [cell for _, cell in own if not cell.head])))
    bounds = table.width_bounds(index)
    full = max(min(natural, bounds.get("most", natural)), bounds.get("least", 0.0))
    natural = natural if number else min(natural, limit)
    natural = max(min(natural, bounds.get("most", natural)), bounds.get("least", 0.0))
    least = max(min(least, natural), bounds.get("least", 0.0))
    fixed = bounds.get("fixed")
    if fixed is not None:
        return WidthNeed(index, float(fixed), float(fixed), float(fixed), table.priority(index))
    return WidthNeed(index, full + 2 * air, natural + 2 * air, least + 2 * air, table.priority(index))


def _longest_word(style: Style, cells: Sequence[TableCell]) -> float:
    """Return the width of the longest word of some cells, limited by LONG_WORD."""
    widths = (
        widest(cell.text[:LONGEST].split(), style.label * cell.look.scale, 600) + padding(cell)
        for cell in cells
    )
    return min(style.label * LONG_WORD, max(widths, default=0.0))


def _body_width(style: Style, cell: TableCell) -> float:
    if cell.bar is not None:
        label = text_width(cell.bar.label, style.label) + style.label * 0.6 if cell.bar.label else 0.0
        return style.label * BAR + label + padding(cell)
    width = cell_width(style, cell)
    return min(width, style.label * 12) if cell.look.overflow == "overflow" else width


def _head_width(style: Style, cell: TableCell, body: float) -> float:
    """Return the width of a head, which may break into lines, but not within its words."""
    size = style.label * cell.look.scale
    words = widest((word[:40] for word in cell.text[:LONGEST].split()), size, 600)
    return min(cell_width(style, cell), max(body, min(words, style.label * 10), style.label * 6))


def fitting_columns(needs: Sequence[WidthNeed], room: float) -> list[WidthNeed]:
    """Return the columns that fit at their least width.

    Columns with the lowest priority are left out first, and middle ones before the first and the last, which
    often have names and sums.
    """
    kept = list(needs)
    total = sum(need.least for need in kept)
    while total > room + 0.5 and len(kept) > 1:
        last = max(need.priority for need in kept)
        equal = [need for need in kept if need.priority == last]
        inner = [need for need in equal if need not in (needs[0], needs[-1])]
        going = inner[len(inner) // 2] if inner else equal[-1]
        kept.remove(going)
        total -= going.least
    return kept


def _shrunk(needs: Sequence[WidthNeed], room: float) -> list[float]:
    """Return the natural widths, or smaller ones that fit in the room."""
    natural, least = sum(need.natural for need in needs), sum(need.least for need in needs)
    if natural <= room:
        return [need.natural for need in needs]
    share = max(0.0, (room - least) / (natural - least)) if natural > least else 0.0
    return [min(room, need.least + (need.natural - need.least) * share) for need in needs]


def _spread(
    style: Style, table: StyledTable, needs: Sequence[WidthNeed], widths: list[float], room: float
) -> list[float]:
    """Return widths with the free space added: first for cut content, then to fill the picture."""
    lacks = [max(0.0, need.full - width) for need, width in zip(needs, widths, strict=True)]
    share = min(1.0, max(0.0, room - sum(widths)) / sum(lacks)) if any(lacks) else 0.0
    widths = [width + lack * share for width, lack in zip(widths, lacks, strict=True)]
    free = [not table.width_bounds(need.index).keys() & {"fixed", "most"} for need in needs]
    spare = room - sum(widths)
    if spare <= 0 or not any(free):
        return widths
    most = style.label * 11
    each = min(most, spare / sum(free))
    return [width + each * open_ for width, open_ in zip(widths, free, strict=True)]


MOST_LINES = 12
HEAD_LINES = 3


@dataclass(frozen=True, slots=True)
class TableBox:
    """A cell, or a merge of several, with its box and its text broken into lines."""

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
        """Whether the text of the cell is shown only in part."""
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
    """Return every box of the drawn rows, with merges; texts have `most` lines, names of rows all."""
    merges = table.merges.within(kept, [column.index for column in columns])
    placed = []
    for row, number in enumerate(kept):
        for place, column in enumerate(columns):
            top, left, span = merges.get((row, place), (row, place, Span(number, column.index)))
            if (top, left) != (row, place):
                continue
            cell = cells.get((span.row, span.column)) or table.cell(span.row, span.column)
            last = columns[place + span.columns - 1]
            width = last.x + last.width - column.x
            sides = column.left + padding(cell, "l"), last.right + padding(cell, "r")
            count = HEAD_LINES if cell.head else MOST_LINES if span.column < table.row_heads else most
            lines = _lines(style, cell, width - sum(sides), count, last=last is columns[-1])
            placed.append(TableBox(cell, row, place, span, tuple(lines), width, *sides))
    return placed


def _lines(style: Style, cell: TableCell, room: float, most: int, *, last: bool) -> list[str]:
    """Return the text of a cell as it fits: in lines, cut, or extending over its neighbours."""
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
    """Return the first words that fit, or the beginning of a single word that does not."""
    words = text.split()
    while len(words) > 1 and text_width(" ".join(words), size, weight) > room:
        words.pop()
    line = " ".join(words)
    return line if text_width(line, size, weight) <= room else cut(line, size, room, weight)


def row_heights(style: Style, placed: Sequence[TableBox], rows: int) -> list[float]:
    """Return whole pixels for each row; the last row of a merge gets the height that the merge lacks."""
    heights = [round(style.label * 2.0)] * rows
    for one in sorted(placed, key=lambda one: one.span.rows):
        line = style.label * one.cell.look.scale * 1.25
        wanted = max(1, len(one.lines)) * line + style.label * 0.75 + padding(one.cell, "tb")
        last = min(rows, one.row + one.span.rows) - 1
        lacking = round(wanted) - sum(heights[one.row : last + 1])
        heights[last] += max(0, lacking)
    return [float(height) for height in heights]
