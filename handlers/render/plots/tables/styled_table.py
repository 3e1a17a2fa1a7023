"""Styled table: the data of a plot as cells with texts, alignments, colours, bars, lines and merges."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import Any, TypeVar

from handlers.render.plots.data.frame import ColumnType, Frame
from handlers.render.plots.data.number_formats import CellNumberFormat
from handlers.render.plots.data.numbers import GAP
from handlers.render.plots.data.type_columns import is_year_name
from handlers.render.plots.look.data_settings import chosen
from handlers.render.plots.look.palette import MODES, Palette, legible
from handlers.render.plots.plot_type import CELL_COLOR
from handlers.render.plots.tables import cell_words as words
from handlers.render.plots.tables.cell_colors import CellColor, Domain, parse_cell_color
from handlers.render.plots.tables.cell_words import Bar, CellBar, CellLook, TableCell
from handlers.render.plots.tables.instructions import (
    CellInstruction,
    InstructionGrid,
    MergedCells,
    read_instructions,
)
from handlers.render.plots.tables.usual_numbers import UsualNumbers, usual_numbers

MOST_VALUES = 2_000_000
"""Most values that are read for all lines of a table."""


class ValueDomains:
    """The domains of the lines of a table, each computed once."""

    def __init__(self, frame: Frame) -> None:
        self._frame = frame
        self._known: dict[tuple[CellInstruction[Any], Domain | None], Domain] = {}
        self._examined = 0

    def of(self, line: CellInstruction[Any], domain: Domain | None) -> Domain:
        """Return a domain with open ends taken from the numbers that a line selects."""
        known = self._known.get((line, domain))
        if known is None:
            known = self._known[line, domain] = (domain or Domain()).within(self._numbers(line))
        return known

    def of_bar(self, line: CellInstruction[CellBar]) -> Domain:
        """Return the domain of a bar: by default it begins at 0, and diverges with negative numbers."""
        if line.word.domain is not None:
            return self.of(line, line.word.domain)
        found = self.of(line, None)
        low, high = found.low or 0.0, found.high or 0.0
        return Domain(low, 0.0, max(0.0, high), diverging=True) if low < 0 else Domain(0.0, None, high)

    def _numbers(self, line: CellInstruction[Any]) -> Iterator[float]:
        """Yield the numbers in the cells of a line; none beyond MOST_VALUES cells of all lines."""
        frame = self._frame
        rows = [row - 1 for row in line.rows.of(frame.height + 1) if row]
        for index in sorted(line.columns.of(len(frame.columns))):
            column = frame.columns[index]
            if column.type is not ColumnType.NUMBER:
                continue
            self._examined += len(rows)
            if self._examined > MOST_VALUES:
                return
            yield from (number for row in rows if (number := column.numbers[row]) is not None)


FOLDER = "table/cell/"
UNITS = {"small": 400, "medium": 600, "large": 900}
YES_OR_NO = {"no": 0, "false": 0, "off": 0, "none": 0, "yes": 1, "true": 1, "on": 1}
UNREADABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffe\uffff]")
MIDDLE_PRIORITY = 3
MOST_LOOKS = 10_000

T = TypeVar("T")


class StyledTable:
    """The table of some data with settings below `config`, in one mode; row 0 has the column names.

    Texts are readable on the palette's background. The first `row_heads` columns name their rows; `units` is
    the width by the setting `table/size`, None to use the available width.
    """

    def __init__(
        self, frame: Frame, config: Mapping[str, str], mode: str = "light", palette: Palette | None = None
    ) -> None:
        self.frame, self.mode = frame, mode
        self.palette = palette or MODES[mode]
        self.rows, self.columns = frame.height + 1, len(frame.columns)
        self.notes: list[str] = []
        self.domains = ValueDomains(frame)
        self._looks: dict[tuple[bool | int, ...], CellLook] = {}
        self._usual: dict[int, UsualNumbers | None] = {}
        self._config = config
        self._align = self._grid("align", words.parse_alignment)
        self._lines = self._grid("border", words.parse_lines)
        self._space = self._grid("padding", words.parse_space)
        self._look = self._grid("text", words.parse_text_look)
        self._overflow = self._grid("overflow", words.parse_overflow)
        grids = (self._align, self._lines, self._space, self._look, self._overflow)
        self._look_grids = [grid for grid in grids if grid.lines]
        self._format = self._grid("format", words.parse_cell_format)
        self._width = self._grid("width", words.parse_width)
        self._priority = self._grid("priority", words.parse_priority)
        self.bars = self._grid("chart", words.parse_bar)
        self._colors = self._over("colors/colors", self._color_lines(), parse_cell_color)
        merges = self._read(FOLDER + "merge", config.get(FOLDER + "merge", ""), str)
        self.merges = MergedCells(f"config/{FOLDER}merge", merges, self.rows, self.columns)
        self.notes += self.merges.notes[:10]
        self.row_heads = self._count_row_heads()
        size = chosen(config, "table/size", self.notes)
        self.units = UNITS.get(size)

    @cached_property
    def head_rows(self) -> int:
        """Number of first rows that are heads: the names, and rows merged with them."""
        heads = 1
        for span in sorted(self.merges.spans, key=lambda span: span.row):
            if span.row < heads:
                heads = max(heads, span.row + span.rows)
        return min(self.rows, heads)

    def is_number(self, column: int) -> bool:
        """Return whether a column holds numbers."""
        return self.frame.columns[column].type is ColumnType.NUMBER

    def source(self, row: int, column: int) -> str:
        """Return the text of a cell as it was sent, without characters that no form can contain."""
        text = self.frame.columns[column].texts[row - 1] if row else self.frame.head(column)
        return text if text.isprintable() else UNREADABLE.sub("", text)

    def number(self, row: int, column: int) -> float | None:
        """Return the number in a cell of a column of numbers."""
        return self.frame.columns[column].numbers[row - 1] if row and self.is_number(column) else None

    def format(self, row: int, column: int) -> words.CellFormat:
        """Return the format that is set for a cell."""
        line = self._format.last(row, column)
        return None if line is None else line.word

    def usual(self, row: int, column: int) -> UsualNumbers | None:
        """Return the default way to write a number; None if its format is set, or if it stays as sent."""
        if row < self.head_rows or self._format.last(row, column) is not None:
            return None
        if self.number(row, column) is None or (column < self.row_heads and self.columns > 1):
            return None
        years = any(is_year_name(self.source(row, at)) for at in range(self.row_heads))
        return None if years else self._writer(column)

    def _writer(self, column: int) -> UsualNumbers | None:
        """Return the way in which the numbers of a column are written."""
        if column not in self._usual:
            self._usual[column] = usual_numbers(self.frame, column, self.head_rows - 1)
        return self._usual[column]

    def text(self, row: int, column: int) -> str:
        """Return the text of a cell in its format, in that of its column's numbers, or as it was sent."""
        sent = self.source(row, column)
        data = self.frame.columns[column]
        if not row:
            return sent
        if not sent:
            counts = data.type is ColumnType.DATE or (self.is_number(column) and self._writer(column))
            return GAP if counts else ""
        writer = self.usual(row, column)
        return writer(sent) if writer else words.formatted_text(self.format(row, column), data, row - 1, sent)

    def cell(self, row: int, column: int) -> TableCell:
        """Return a cell with all its settings."""
        text = self.text(row, column)
        bar = self._bar(row, column, text)
        line, number = self.bars.last(row, column), self.number(row, column)
        if line is not None and line.word.kind == "arrow" and number is not None:
            text = words.with_arrow(number, text)
        look = self.look(row, column)
        ink, ground = self._planes(row, column)
        shown = "" if look.blank or bar is not None else text
        hangs = bool(shown) and look.horizontal == "right" and self._hangs(row, column, shown)
        return TableCell(shown, number, look, ink, ground, bar, hangs)

    def bare_cell(self, row: int, column: int) -> TableCell:
        """Return a cell without its text and its bar."""
        return TableCell("", self.number(row, column), self.look(row, column), *self._planes(row, column))

    def _hangs(self, row: int, column: int, text: str) -> bool:
        """Return whether other numbers of a column end with a bracket and this cell does not."""
        if row < self.head_rows or not self.is_number(column) or text.endswith(")"):
            return False
        line, writer = self._format.last(row, column), self._writer(column)
        if line is not None:
            return isinstance(line.word, CellNumberFormat) and line.word.sign == "("
        return writer is not None and writer.bracketed

    def look(self, row: int, column: int) -> CellLook:
        """Return the look of a cell, made once for all cells with the same settings."""
        head = row < self.head_rows
        number = self.is_number(column) and not (head and self._has_bars(column))
        key = (head, number, *[grid.marks(row, column) for grid in self._look_grids])
        look = self._looks.get(key)
        if look is None:
            if len(self._looks) >= MOST_LOOKS:
                self._looks.clear()
            look = self._looks[key] = self._make_look(row, column, head, "right" if number else "left")
        return look

    def _make_look(self, row: int, column: int, head: bool, side: str) -> CellLook:
        emphasis, scale, family = words.emphasis_of(self._look.words(row, column), "b" if head else "")
        align, overflow = words.merge(self._align.words(row, column)), self._overflow.last(row, column)
        return CellLook(
            head=head,
            horizontal=align.get("horizontal", side),
            vertical=align.get("vertical", "bottom" if head else "top"),
            emphasis=emphasis.replace("-", ""),
            blank="-" in emphasis,
            scale=scale,
            family=family,
            overflow=overflow.word if overflow else "wrap",
            lines=words.side_lines(self._lines.words(row, column), self.mode),
            space=words.merge(self._space.words(row, column)),
        )

    def first_columns(self, most: int) -> list[int]:
        """Return the columns with the highest priority, in order; among equals, middle ones are left out."""
        chosen = list[int]()
        for priority in range(1, words.LARGEST + 1):
            equal = [column for column in range(self.columns) if self.priority(column) == priority]
            room = most - len(chosen)
            if len(equal) > room:
                first = (room + 1) // 2
                equal = equal[:first] + equal[len(equal) - (room - first) :]
            chosen += equal
        return sorted(chosen)

    def width_bounds(self, column: int) -> Mapping[str, int]:
        """Return the units of a column's width by `most`, `least` and `fixed`."""
        return words.merge(self._width.words(self.rows - 1, column))

    def priority(self, column: int) -> int:
        """Return the priority of a column, 1 to 5: the highest number is left out first."""
        usual = 1 if column < self.row_heads else MIDDLE_PRIORITY
        line = self._priority.last(self.rows - 1, column)
        return usual if line is None else line.word

    def _count_row_heads(self) -> int:
        word = self._config.get("table/index", "").strip().lower()
        count = int(word) if word.isdecimal() and len(word) < 3 else YES_OR_NO.get(word or "yes")
        if count is None:
            self.notes.append(f'config/table/index: "{word[:40]}" is neither a number of columns nor "no"')
        return min(1 if count is None else count, self.columns)

    def _has_bars(self, column: int) -> bool:
        line = self.bars.last(min(1, self.rows - 1), column)
        return line is not None and line.word.kind == "hbar"

    def spark_numbers(self, row: int, column: int) -> list[float]:
        """Return the numbers of a cell that shows them as a line; empty for other cells."""
        line = self.bars.last(row, column)
        is_spark = line is not None and line.word.kind == "spark" and row >= self.head_rows
        return words.numbers_in(self.source(row, column)) if is_spark else []

    def _bar(self, row: int, column: int, text: str) -> Bar | None:
        line, number = self.bars.last(row, column), self.number(row, column)
        numbers = self.spark_numbers(row, column)
        if line is not None and numbers:
            return words.spark_of(line.word, numbers)
        if line is None or number is None or line.word.kind != "hbar":
            return None
        return words.bar_of(line.word, self.domains.of_bar(line), number, text)

    def _planes(self, row: int, column: int) -> tuple[str | None, str | None]:
        """Return the colours of text and background; unreadable text gets another colour."""
        found: dict[str, str | None] = {}
        if not self._colors.lines:
            return None, None
        for line in reversed(self._colors.at(row, column)):
            if found.get(line.word.plane) is None:
                found[line.word.plane] = self._color(line, self.number(row, column))
        ink, ground = found.get("fg"), found.get("bg")
        if ink is not None:
            return legible(ink, ground or self.palette.paper), ground
        return self.palette.on(ground) if ground else None, ground

    def _color(self, line: CellInstruction[CellColor], number: float | None) -> str | None:
        scale = line.word.scale(self.mode)
        if len(scale.stops) == 1:
            return scale.first(self.mode)
        return None if number is None else scale.color(self.mode, number, self.domains.of(line, scale.domain))

    def _color_lines(self) -> str:
        """Return the lines of `colors/colors` for cells: those with `bg` or `fg`; all for the type `ix`."""
        kind = self._config.get("colors/type", "").strip().lower()
        text = self._config.get("colors/colors", "")
        if kind == "ix":
            return text
        return "\n".join(line if CELL_COLOR.match(line) else "" for line in text.splitlines())

    def _grid(self, name: str, parse: Callable[[str], T]) -> InstructionGrid[T]:
        return self._over(FOLDER + name, self._config.get(FOLDER + name, ""), parse)

    def _over(self, path: str, text: str, parse: Callable[[str], T]) -> InstructionGrid[T]:
        return InstructionGrid(self._read(path, text, parse), self.rows, self.columns)

    def _read(self, path: str, text: str, parse: Callable[[str], T]) -> list[CellInstruction[T]]:
        lines, notes = read_instructions(f"config/{path}", text, parse)
        self.notes += notes
        return lines
