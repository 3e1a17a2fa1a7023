"""Data of a plot as files for other programs: CSV and XLSX, in which no cell is taken for a formula."""

from __future__ import annotations

import csv
import io
import re
from datetime import datetime

import xlsxwriter
from xlsxwriter.workbook import Workbook
from xlsxwriter.worksheet import Worksheet

from handlers.render.plots.data.frame import Column, ColumnType, Frame
from handlers.render.plots.forms.table_sheet import TableSheet
from handlers.render.plots.forms.workbook_chart import add_chart
from handlers.render.plots.look.palette import LIGHT
from handlers.render.plots.plot_type import type_of
from handlers.render.plots.tables.spreadsheet_codes import (
    DAY,
    GENERAL,
    MOMENT,
    WHOLE_YEAR,
    code_of_column,
    date_number,
    holds_years,
    is_year,
)
from handlers.render.plots.tables.styled_table import StyledTable
from handlers.render.plots.tables.usual_numbers import usual_numbers
from handlers.words.plot import Plot
from handlers.words.terminal_signs import safe_text

MADE = datetime(2000, 1, 1)  # noqa: DTZ001
"""The time of making that stands in every workbook, so that equal data make equal bytes."""
FORMULA = re.compile(r"^[=+\-@\t\r]")
LONGEST_CELL = 32_767
CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")


def csv_text(frame: Frame) -> str:
    """The cells as they were sent; a text that spreadsheets would run begins with an apostrophe."""
    made = io.StringIO()
    writer = csv.writer(made, lineterminator="\n")
    writer.writerow(harmless(frame.head(index)) for index in range(len(frame.columns)))
    for row in range(frame.height):
        writer.writerow(_cell(column, row) for column in frame.columns)
    return made.getvalue()


def harmless(text: str) -> str:
    """A text that no spreadsheet takes for a formula, and no terminal for a command."""
    text = safe_text(text)  # first: what is left of it may be a formula
    return f"'{text}" if FORMULA.match(text) else text


def xlsx(plot: Plot, frame: Frame) -> bytes:
    """A workbook: typed cells below a fixed head, and a live chart on a second sheet where there is one."""
    made = io.BytesIO()
    options = {
        "in_memory": True,
        "strings_to_formulas": False,
        "strings_to_urls": False,
        "strings_to_numbers": False,
    }
    with xlsxwriter.Workbook(made, options) as book:
        book.set_properties({"created": MADE, "title": plot.words("title")[:200] or plot.name[:200]})
        if type_of(plot.type).table:
            table = StyledTable(frame, plot.config)
            sheet = TableSheet(book, table).fill()
            _write_words(book, sheet, plot, table.rows + 1)
        else:
            _fill(book, frame)
            add_chart(book, plot, frame)
    return made.getvalue()


def _write_words(book: Workbook, sheet: Worksheet, plot: Plot, row: int) -> None:
    """Write the words around a table below it, so that its cells stay where those of the data are."""
    look = book.add_format({"font_color": LIGHT.quiet})
    words = [_plain(plot.words(key)) for key in ("title", "subtitle", "caption")]
    for at, word in enumerate(filter(None, words), row):
        sheet.write_string(at, 0, word, look)


def _cell(column: Column, row: int) -> str:
    if column.type is ColumnType.NUMBER and column.numbers[row] is not None:
        return column.texts[row]
    return harmless(column.texts[row])


def _fill(book: Workbook, frame: Frame) -> None:
    sheet = book.add_worksheet("data")
    head = book.add_format({"bold": True, "bottom": 1})
    year, day, moment = (book.add_format({"num_format": code}) for code in (WHOLE_YEAR, DAY, MOMENT))
    formats = [_number_format(book, frame, index) for index in range(len(frame.columns))]
    for index, column in enumerate(frame.columns):
        sheet.write_string(0, index, _plain(column.name), head)
        width = max([len(column.name), *(len(text) for text in column.texts[:200])])
        sheet.set_column(index, index, min(50, max(8, width + 2)))
        for row in range(frame.height):
            if column.type is ColumnType.NUMBER and (number := column.numbers[row]) is not None:
                sheet.write_number(row + 1, index, number, formats[index])
            elif (
                column.type is ColumnType.DATE
                and (number := date_number(column.dates[row], column.texts[row])) is not None
            ):
                look = year if is_year(column.texts[row]) else moment if column.clock else day
                sheet.write_number(row + 1, index, number, look)
            elif column.texts[row]:
                sheet.write_string(row + 1, index, _plain(column.texts[row]))
    sheet.freeze_panes(1, 0)


def _number_format(book: Workbook, frame: Frame, index: int) -> object:
    """The format by which numbers of a column look as in tables; years alone have one along the axis."""
    column = frame.columns[index]
    writer = None if index == 0 and frame.axis is not None else usual_numbers(frame, index)
    code = WHOLE_YEAR if holds_years(column) else code_of_column(column, writer)
    return None if code == GENERAL else book.add_format({"num_format": code})


def _plain(text: str) -> str:
    return CONTROL.sub("", text)[:LONGEST_CELL]
