"""Tables for terminals: formats, bars and lines in columns of characters, with colours if requested."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from handlers.render.plots.charts.cells.table_columns import WidthNeed, fitting_columns
from handlers.render.plots.forms.terminal.screen import (
    BLOCKS,
    blocks,
    cut_line,
    place_line,
    plain_line,
    signs,
    wrap_line,
)
from handlers.render.plots.look.palette import channels, contrast, mix
from handlers.render.plots.tables.cell_words import Bar, TableCell
from handlers.render.plots.tables.kept_rows import first_rows, is_gap, rows_that_stay, shown_words, sums_of
from handlers.render.plots.tables.styled_table import StyledTable

GAP = 2
BAR = 12
LEAST, LONG_WORD = 12, 18
"""Least width of a text column, and the greatest width that its longest word requires."""
UNITS_A_COLUMN = 8
"""Units of a table's width for one column of a terminal."""
CLEAR = 3.8
STYLES = {"b": "1", "i": "3", "u": "4", "s": "9"}


@dataclass(frozen=True, slots=True)
class TerminalColumn:
    """A column that is shown: its index in the data and its width in characters."""

    index: int
    width: int


class TerminalTable:
    """The rows and columns of a table that fit into a number of lines and columns.

    With `colored`, lines have escape sequences for colour and emphasis.
    """

    def __init__(self, table: StyledTable, columns: int, rows: int, *, colored: bool) -> None:
        self.table, self.colored = table, colored
        candidates, first = table.first_columns(max(1, columns // 2)), first_rows(table, rows)
        self._cells = {(row, index): table.cell(row, index) for row in first for index in candidates}
        self.rows: tuple[int, ...] = first
        self.columns = self._fitting(candidates, columns)
        self._keep(first)
        room = rows
        while room > 0 and len(list(self.lines())) > rows:
            self._keep(self._rows_in(first, room))
            room -= max(1, len(list(self.lines())) - rows)

    def lines(self) -> Iterator[str]:
        """Yield the lines of the table, and one about what is left out."""
        for place, row in enumerate(self.rows):
            yield from self._row(place)
            if row == self.table.head_rows - 1:
                yield "─" * self._width
            elif is_gap(self.rows, place + 1):
                yield "┈" * self._width
            elif rule := self._rule(place):
                yield rule
        words = shown_words(self.table, len(self.rows), len(self.columns)).removesuffix(".")
        yield from wrap_line(f"({words})", self._room) if words else ()

    @property
    def _width(self) -> int:
        return sum(column.width for column in self.columns) + GAP * (len(self.columns) - 1)

    def _keep(self, rows: tuple[int, ...]) -> None:
        """Show these rows."""
        self.rows = rows
        self._merges = self.table.merges.within(rows, [column.index for column in self.columns])

    def _rows_in(self, rows: tuple[int, ...], room: int) -> tuple[int, ...]:
        """Return the rows that fit into a number of lines; before a final sum the middle ones are dropped."""
        self._keep(rows)
        heights = [float(len(list(self._row(place))) + bool(self._rule(place))) for place in range(len(rows))]
        places = rows_that_stay(
            heights, min(self.table.head_rows, len(rows) - 1), sums_of(self.table, rows), room
        )
        return tuple(rows[place] for place in places)

    def _fitting(self, candidates: Sequence[int], most: int) -> list[TerminalColumn]:
        """Return the columns that fit side by side, by priority; the narrowest ones get free space first."""
        self._room = most
        needs = [self._need(index, most) for index in candidates]
        kept = fitting_columns(needs, most + GAP)
        widths = [int(need.least) - GAP for need in kept]
        naturals = [int(need.natural) - GAP for need in kept]
        for _ in range(most - sum(widths) - GAP * (len(kept) - 1)):
            lacking = [place for place, width in enumerate(widths) if width < naturals[place]]
            if not lacking:
                break
            widths[min(lacking, key=widths.__getitem__)] += 1
        return [TerminalColumn(need.index, width) for need, width in zip(kept, widths, strict=True)]

    def _need(self, index: int, most: int) -> WidthNeed:
        """Return the least and the natural width of a column within its limits, with the gap after it."""
        own = [
            self._cells[row, index] for row in self.rows if self.table.merges.span(row, index).columns == 1
        ]
        width = max((_cell_signs(cell) for cell in own), default=1)
        bounds = {
            name: max(1, units // UNITS_A_COLUMN) for name, units in self.table.width_bounds(index).items()
        }
        width = min(width, bounds.get("most", width))
        width = min(most, bounds.get("fixed", max(1, width, bounds.get("least", 1))))
        least = width
        if not self.table.is_number(index) and not bounds.keys() & {"fixed", "least"}:
            words = (signs(word) + _indent(cell) for cell in own for word in plain_line(cell.text).split())
            least = min(width, max(LEAST, min(LONG_WORD, max(words, default=0))))
        return WidthNeed(index, width + GAP, width + GAP, least + GAP, self.table.priority(index))

    def _row(self, place: int) -> Iterator[str]:
        """Yield the lines of a row, as many as its highest cell has."""
        boxes = list(self._boxes(place))
        blocks = [_block(cell, width) for cell, width in boxes]
        height = max(map(len, blocks))
        for at in range(height):
            parts = []
            for (cell, width), block in zip(boxes, blocks, strict=True):
                offset = {"top": 0, "middle": (height - len(block)) // 2, "bottom": height - len(block)}
                line = at - offset[cell.look.vertical]
                text = block[line] if 0 <= line < len(block) else ""
                placed = place_line(text, width, cell.look.horizontal)
                parts.append(_dress(placed, cell) if self.colored else placed)
            yield (" " * GAP).join(parts).rstrip()

    def _boxes(self, row: int) -> Iterator[tuple[TableCell, int]]:
        """Yield the cells of a row with their widths; merged columns are one cell, merged rows are blank."""
        place = 0
        while place < len(self.columns):
            origin, span = self._box(row, place)
            width = sum(column.width for column in self.columns[place : place + span]) + GAP * (span - 1)
            yield origin, width
            place += span

    def _box(self, row: int, place: int) -> tuple[TableCell, int]:
        found = self._merges.get((row, place))
        if found is None:
            return self._cells[self.rows[row], self.columns[place].index], 1
        cell, columns = self.table.cell(found.span.row, found.span.column), found.span.columns
        if (found.row, found.column) == (row, place):
            return cell, columns
        return TableCell("", ground=cell.ground), columns if found.column == place else 1

    def _rule(self, place: int) -> str:
        """Return the lines that are set below a row or above the next one; empty without any."""
        parts = []
        for column in self.columns:
            below = self._line(place, column, "b")
            above = self._line(place + 1, column, "t")
            parts.append(("━" if max(below, above) > 2 else "─" if below or above else " ") * column.width)
        joined = parts[0]
        for part in parts[1:]:
            joined += (part[0] if part[0] == joined[-1] else " ") * GAP + part
        return joined.rstrip()

    def _line(self, place: int, column: TerminalColumn, side: str) -> int:
        """Return the thickness of the line that is set at a side of a row's cell."""
        if place >= len(self.rows):
            return 0
        line = self._cells[self.rows[place], column.index].look.lines.get(side)
        return line.size if line else 0


def _indent(cell: TableCell) -> int:
    return cell.look.space.get("l", 0)


def _cell_signs(cell: TableCell) -> int:
    if cell.bar is not None:
        return BAR + (signs(cell.bar.label) + 1 if cell.bar.label else 0)
    return signs(plain_line(cell.text)) + _indent(cell) + cell.hangs


def _block(cell: TableCell, width: int) -> list[str]:
    """Return the lines of a cell's content within the width of its box."""
    if cell.bar is not None:
        return [_bar(cell.bar, width)]
    text = plain_line(cell.text) + " " * cell.hangs
    indent = " " * min(_indent(cell), width - 1)
    room = width - len(indent)
    if signs(text) <= room:
        return [indent + text]
    if cell.number is not None and not cell.head:
        return ["…"]
    if cell.look.overflow == "wrap" or (cell.head and cell.look.overflow == "ellipsis"):
        return [indent + line for line in wrap_line(text, room)]
    return [indent + cut_line(text, room, "" if cell.look.overflow == "truncate" else "…")]


def _bar(bar: Bar, width: int) -> str:
    """Return a bar of eighth blocks, and its number right-aligned."""
    label = f" {bar.label}" if bar.label else ""
    room = max(1, width - signs(label))
    if bar.points:
        count = min(len(bar.points), room)
        shown = (bar.points[-1 - at * (len(bar.points) - 1) // max(1, count - 1)] for at in range(count))
        drawn = "".join(BLOCKS[int(y * 7)] for _, y in shown)[::-1]
    elif bar.middle is None and bar.start == 0.0:
        drawn = blocks(bar.end * room)
    else:
        low, high = sorted((round(bar.start * room), round(bar.end * room)))
        drawn = " " * low + "█" * (high - low)
        if bar.middle is not None:
            at = min(round(bar.middle * room), room - 1)
            drawn = drawn.ljust(at + 1)
            drawn = drawn[:at] + (drawn[at].strip() or "│") + drawn[at + 1 :]
    return drawn.ljust(room)[:room] + label


def _dress(text: str, cell: TableCell) -> str:
    """Return a text between escape sequences for its emphasis and colours."""
    codes = [STYLES[sign] for sign in cell.look.emphasis if sign in STYLES]
    ink = cell.ink if cell.ink is None or cell.ground else on_any_ground(cell.ink)
    for plane, color in (("38", ink), ("48", cell.ground)):
        if color:
            codes.append(f"{plane};2;" + ";".join(map(str, channels(color))))
    bare = text if cell.ground else text.strip()
    if not codes or not bare:
        return text
    before, _, after = text.partition(bare)
    return f"{before}\x1b[{';'.join(codes)}m{bare}\x1b[0m{after}"


@lru_cache(maxsize=1024)
def on_any_ground(color: str) -> str:
    """Return a colour of the same hue that is readable on both black and white backgrounds."""
    tones = (mix(color, end, step / 20) for step in range(21) for end in ("#ffffff", "#000000"))
    clear = (tone for tone in tones if min(contrast(tone, "#000000"), contrast(tone, "#ffffff")) >= CLEAR)
    return next(clear, color)
