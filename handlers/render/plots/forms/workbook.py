"""Data of a plot as CSV and XLSX files, in which no cell is a formula."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

import xlsxwriter
from xlsxwriter.utility import xl_range_abs
from xlsxwriter.workbook import Workbook
from xlsxwriter.worksheet import Worksheet

from handlers.render.plots.data.dates_written import names_day
from handlers.render.plots.data.frame import Column, ColumnType, Frame
from handlers.render.plots.data.number_formats import CellDateFormat, CellNumberFormat
from handlers.render.plots.forms.workbook_chart import add_chart
from handlers.render.plots.look.palette import LIGHT
from handlers.render.plots.plot_type import type_of
from handlers.render.plots.tables.cell_words import CellLook, TableCell
from handlers.render.plots.tables.instructions import Indices
from handlers.render.plots.tables.spreadsheet_codes import (
    DAY,
    GENERAL,
    MOMENT,
    WHOLE_YEAR,
    code_as_shown,
    code_of_column,
    date_number,
    holds_years,
    is_year,
    number_code,
)
from handlers.render.plots.tables.styled_table import StyledTable
from handlers.render.plots.tables.usual_numbers import names_things
from handlers.words.plot import Plot
from handlers.words.terminal_signs import safe_text, xml_text

LONGEST_CELL = 32_767
MOST_COLUMNS = 16_384
MOST_FORMATS = 4_000
MOST_FROZEN = 20
MOST_BARS = 2_000
MEASURED = 200
PIXELS_A_SIGN = 7
POINTS = 11
THICKNESS = {0: 0, 1: 1, 2: 2, 3: 2, 4: 5, 5: 5}
"""Line styles of spreadsheets by sizes of 0 to 5."""
SIDES = {"t": "top", "r": "right", "b": "bottom", "l": "left"}
VERTICAL = {"top": "top", "middle": "vcenter", "bottom": "bottom"}
FAMILIES = {"serif": "Georgia", "mono": "Courier New"}
HIDDEN = ";;;"
ARROWS = {
    "type": "icon_set", "icon_style": "3_arrows",
    "icons": [{"criteria": sign, "type": "number", "value": 0} for sign in (">", ">=")],
}  # fmt: skip
SPARKS = "sparklines"


class TableSheet:
    """The first sheet of a workbook, filled with a styled table.

    If it is `charted`, all numbers and dates are written as numbers, because a chart refers to them.
    """

    def __init__(self, book: Workbook, table: StyledTable, *, charted: bool = False) -> None:
        self._book, self.table, self._charted = book, table, charted
        self._columns = min(table.columns, MOST_COLUMNS)
        self._sheet: Worksheet = book.add_worksheet("data")
        self._known: dict[tuple[Any, ...], tuple[Any, CellLook]] = {}
        shown = table.frame.columns[: self._columns]
        self._as_text = [not charted and names_things(one) for one in shown]
        self._years = [holds_years(one) for one in shown]
        self._numbers: Worksheet | None = None
        self._sparks = 0

    def fill(self) -> Worksheet:
        """Write every cell, then column settings, merges and bars. It must be called only once."""
        table = self.table
        for column in range(self._columns):
            for row in range(table.rows):
                self._write(row, column)
            self._sheet.set_column_pixels(column, column, self._width(column))
        for span in table.merges.spans:
            last_row, last_column = span.row + span.rows - 1, span.column + span.columns - 1
            if (span.rows, span.columns) != (1, 1) and last_column < self._columns:
                look = self._format(span.row, table.cell(span.row, span.column), GENERAL)
                self._sheet.merge_range(span.row, span.column, last_row, last_column, "", look)
                self._write(span.row, span.column)
        self._bars()
        self._sheet.freeze_panes(min(table.head_rows, MOST_FROZEN), min(table.row_heads, MOST_FROZEN))
        return self._sheet

    def _write(self, row: int, column: int) -> None:
        """Write a cell as a number, a date or a text, never as a formula."""
        table, data = self.table, self.table.frame.columns[column]
        cell, sent = table.bare_cell(row, column), table.source(row, column)
        cell_format = table.format(row, column)
        numbers = table.spark_numbers(row, column)
        date = data.dates[row - 1] if row and data.type is ColumnType.DATE else None
        has_format = isinstance(cell_format, CellDateFormat)
        number = date_number(date, "" if has_format else sent)
        if numbers:
            self._sheet.write_string(row, column, sent[:LONGEST_CELL], self._format(row, cell, HIDDEN))
            self._draw_spark(row, column, numbers)
        elif number is not None and (has_format or self._charted or is_year(sent) or names_day(sent)):
            usual = WHOLE_YEAR if is_year(sent) else MOMENT if data.clock else DAY
            code = cell_format.spreadsheet_code if isinstance(cell_format, CellDateFormat) else usual
            self._sheet.write_number(row, column, number, self._format(row, cell, code))
        elif cell.number is not None and not self._as_text[column]:
            code = self._code(row, column) if cell_format is None else GENERAL
            if isinstance(cell_format, CellNumberFormat):
                code = number_code(cell_format, cell.number)
            self._sheet.write_number(row, column, cell.number, self._format(row, cell, code))
        elif sent:
            look = self._format(row, cell, GENERAL)
            self._sheet.write_string(row, column, sent[:LONGEST_CELL], look)
        elif not self._charted:  # in charts, lines would fall to 0 at blank cells
            self._sheet.write_blank(row, column, None, self._format(row, cell, GENERAL))

    def _draw_spark(self, row: int, column: int, numbers: Sequence[float]) -> None:
        """Add a native sparkline of numbers, which are written to a hidden sheet."""
        if self._numbers is None:
            self._numbers = self._book.add_worksheet(SPARKS)
            self._numbers.hide()
        self._numbers.write_row(self._sparks, 0, numbers)
        places = xl_range_abs(self._sparks, 0, self._sparks, len(numbers) - 1)
        self._sheet.add_sparkline(row, column, {"range": f"{SPARKS}!{places}", "last_point": True,
                                                "series_color": LIGHT.category(0)})  # fmt: skip
        self._sparks += 1

    def _code(self, row: int, column: int) -> str:
        """Return the code that shows a number as other forms do, or with the unit of its column."""
        writer, data = self.table.usual(row, column), self.table.frame.columns[column]
        if self._years[column]:
            return WHOLE_YEAR
        if self._charted:
            return code_of_column(data, writer)
        if writer is not None and not data.unit and not writer.bracketed:
            code = code_of_column(data, writer)
            if code != GENERAL:
                return code  # one code for the whole column is faster than one for each text
        comma, grouped = (writer.comma, writer.grouped) if writer else (False, False)
        code = code_as_shown(self.table.text(row, column), comma=comma, grouped=grouped)
        return code_of_column(data) if code == GENERAL else code

    def _format(self, row: int, cell: TableCell, code: str) -> Any:
        """Return the format of a cell, shared by all cells with the same look; None after MOST_FORMATS."""
        key = (id(cell.look), cell.ink, cell.ground, row == self.table.head_rows - 1, code)
        known = self._known.get(key)
        if known is not None:
            return known[0]
        properties = {**_look(cell), **_lines(cell.look, last_head=key[3])}
        if cell.look.blank:
            properties["num_format"] = HIDDEN
        elif code != GENERAL:
            properties["num_format"] = code
        format_ = self._book.add_format(properties) if len(self._known) < MOST_FORMATS else None
        if format_ is not None:
            self._known[key] = (format_, cell.look)
        return format_

    def _width(self, column: int) -> int:
        """Return the pixels of a column: by its content and within its limits."""
        table = self.table
        rows = range(min(table.rows, MEASURED))
        own = (table.text(row, column) for row in rows if table.merges.span(row, column).columns == 1)
        signs = max(map(len, own), default=0)
        bounds = table.width_bounds(column)
        width = min(360, max(60, PIXELS_A_SIGN * signs + 14))
        width = max(min(width, bounds.get("most", width)), bounds.get("least", 0))
        return min(1790, bounds.get("fixed", width))

    def _bars(self) -> None:
        """Add native bars, which follow their numbers; the last line for a cell has priority."""
        table, left = self.table, MOST_BARS
        for line in reversed(table.bars.lines):
            if left <= 0:
                break
            if line.word.kind == "spark":
                continue
            domain = table.domains.of_bar(line)
            options = ARROWS if line.word.kind == "arrow" else {
                "type": "data_bar", "data_bar_2010": True, "bar_solid": True,
                "bar_only": not line.word.labelled,
                "min_type": "num", "min_value": domain.low or 0,
                "max_type": "num", "max_value": domain.high or 0,
                "bar_color": LIGHT.category(0), "bar_negative_color": LIGHT.category(1),
            }  # fmt: skip
            columns = [index for index in sorted(line.columns.of(table.columns)) if table.is_number(index)]
            runs = [(column, run) for column in columns for run in _runs(line.rows.of(table.rows))]
            for column, (first, last) in runs[: max(0, left)]:
                self._sheet.conditional_format(first, column, last, column, options)
            left -= len(runs)


def _runs(rows: Indices) -> list[tuple[int, int]]:
    """Return runs of adjacent rows below the names, each as its first and its last row."""
    if isinstance(rows, range) and rows.step == 1:
        return [(max(1, rows.start), rows.stop - 1)] if rows.stop > 1 and rows else []
    return [(row, row) for row in sorted(rows)[:MOST_BARS] if row]


def _look(cell: TableCell) -> dict[str, Any]:
    """Return emphasis, colours and alignment of a cell's text."""
    properties: dict[str, Any] = {"align": cell.look.horizontal, "valign": VERTICAL[cell.look.vertical]}
    marks = (("b", "bold", True), ("i", "italic", True), ("u", "underline", 1), ("s", "font_strikeout", True))
    properties |= {name: mark for letter, name, mark in marks if letter in cell.look.emphasis}
    if cell.look.scale != 1.0:
        properties["font_size"] = round(POINTS * cell.look.scale, 1)
    if cell.look.family in FAMILIES:
        properties["font_name"] = FAMILIES[cell.look.family]
    if cell.ink:
        properties["font_color"] = cell.ink
    if cell.ground:
        properties["bg_color"] = cell.ground
    if cell.look.overflow == "wrap" or cell.head:
        properties["text_wrap"] = True
    if cell.look.space.get("l") and cell.look.horizontal == "left":
        properties["indent"] = cell.look.space["l"]
    return properties


def _lines(look: CellLook, *, last_head: bool) -> dict[str, Any]:
    """Return the lines at a cell; below the last head row there is one unless another is set."""
    properties: dict[str, Any] = {"bottom": 1} if last_head else {}
    for side, line in look.lines.items():
        properties[SIDES[side]] = THICKNESS[line.size]
        if line.color and line.size:
            properties[f"{SIDES[side]}_color"] = line.color
    return properties


MADE = datetime(2000, 1, 1)  # noqa: DTZ001
"""The creation time of every workbook, so that equal data make equal bytes."""
FORMULA = re.compile(r"^[=+\-@\t\r]")


def csv_text(frame: Frame) -> str:
    """Return the cells as sent; a text that spreadsheets would execute begins with an apostrophe."""
    made = io.StringIO()
    writer = csv.writer(made, lineterminator="\n")
    writer.writerow(harmless(frame.head(index)) for index in range(len(frame.columns)))
    for row in range(frame.height):
        writer.writerow(_cell(column, row) for column in frame.columns)
    return made.getvalue()


def harmless(text: str) -> str:
    """Return a text that spreadsheets do not execute as a formula, nor terminals as a command."""
    text = safe_text(text)  # first: the rest may be a formula
    return f"'{text}" if FORMULA.match(text) else text


def xlsx(plot: Plot, frame: Frame) -> bytes:
    """Return a workbook: typed cells below a fixed head, and a native chart on a second sheet if possible."""
    made = io.BytesIO()
    options = {
        "in_memory": True,
        "strings_to_formulas": False,
        "strings_to_urls": False,
        "strings_to_numbers": False,
    }
    with xlsxwriter.Workbook(made, options) as book:
        book.set_properties({"created": MADE, "title": plot.words("title")[:200] or plot.name[:200]})
        charted = not type_of(plot.type).table
        table = StyledTable(replace(frame, heads=()), {}) if charted else StyledTable(frame, plot.config)
        sheet = TableSheet(book, table, charted=charted).fill()
        if charted:
            add_chart(book, plot, frame)
        else:
            _write_words(book, sheet, plot, table.rows + 1)
    return made.getvalue()


def _write_words(book: Workbook, sheet: Worksheet, plot: Plot, row: int) -> None:
    """Write the texts of a plot below its table, so that cells have the same positions as in the data."""
    look = book.add_format({"font_color": LIGHT.quiet})
    words = [xml_text(plot.words(key))[:LONGEST_CELL] for key in ("title", "subtitle", "caption")]
    for at, word in enumerate(filter(None, words), row):
        sheet.write_string(at, 0, word, look)


def _cell(column: Column, row: int) -> str:
    if column.type is ColumnType.NUMBER and column.numbers[row] is not None:
        return column.texts[row]
    return harmless(column.texts[row])
