"""The chart in a workbook: a native one of its cells, or else the drawing as a picture."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from typing import Any

from xlsxwriter.chart import Chart
from xlsxwriter.workbook import Workbook
from xlsxwriter.worksheet import Worksheet

from handlers.render.plots.data.frame import Column, ColumnType, Frame
from handlers.render.plots.forms.drawing import Look, draw, png
from handlers.render.plots.look.options import KeyPosition
from handlers.render.plots.look.palette import LIGHT
from handlers.render.plots.shown.native_axes import NativeAxis
from handlers.render.plots.shown.native_chart import (
    NativeChart,
    NativeForm,
    NativeSeries,
    fit_names,
    fit_step,
    native_chart,
)
from handlers.render.plots.shown.shown_chart import shown_chart
from handlers.render.plots.tables.spreadsheet_codes import WHOLE_YEAR, date_number, is_year, serial
from handlers.words.language import say
from handlers.words.plot import Plot
from handlers.words.terminal_signs import xml_text

MOST_VALUES = 200_000
MOST_SERIES = 255
"""Most series of a chart in a workbook."""
LONGEST_NAME, LONGEST_TITLE = 200, 255
WIDE, ROWS, ROW, QUIET = 960, 28, 20, LIGHT.quiet
"""Width of a chart in pixels, rows of cells behind it, pixels of a row, and the colour of the text below."""
PIXEL, POINTS, LONE = 0.75, 10.0, 5
"""Sizes in points of a pixel, of letters, and of the marks of single values between gaps."""
MOST_MARKED = 2_000
"""Most values of a line whose single values get a marker."""
UNSEEN = {"fill": {"none": True}, "border": {"none": True}}
DATA, CELLS, CHART = "data", "chart data", "chart"
UNKNOWN = -1
TYPES: Mapping[NativeForm, str] = {
    NativeForm.LINES: "line",
    NativeForm.AREAS: "area",
    NativeForm.POINTS: "scatter",
    NativeForm.PATHS: "scatter",
}
KEYS = {KeyPosition.AUTO: "top", KeyPosition.TOP: "top", KeyPosition.BOTTOM: "bottom"}


@dataclass(frozen=True, slots=True)
class SeriesCells:
    """The cells of a series: their sheet, the columns of its positions and values, and the last row."""

    sheet: str
    along: int | None
    column: int
    last: int

    def of(self, column: int) -> list[str | int]:
        """Return the cells of a column below its head."""
        return [self.sheet, 1, column, self.last, column]


def add_chart(book: Workbook, plot: Plot, frame: Frame) -> None:
    """Add the chart of a plot on a sheet after its data; it shows the same as the drawing."""
    shown = shown_chart(plot, frame)
    if shown.missing:
        return
    native = native_chart(shown, MOST_VALUES)
    if native is None or native.form is NativeForm.BUBBLES or len(native.series) > MOST_SERIES:
        _add_picture(book, plot)
        return
    cells = _cells_of_data(native, frame) or _write_cells(book, native)
    chart = _chart(book, native, cells)
    title, subtitle, caption = (_words(plot, key) for key in ("title", "subtitle", "caption"))
    above = "\n".join(word for word in (title, subtitle) if word)[:LONGEST_TITLE]
    chart.set_title(
        {"name": above, "name_font": {"size": 14, "bold": bool(title)}} if above else {"none": True}
    )
    chart.set_size({"width": WIDE, "height": ROWS * ROW})
    sheet = _sheet(book)
    sheet.insert_chart(0, 0, chart)
    below = " · ".join(word for word in (caption, *map(say, native.notes)) if word)
    if below:
        sheet.write_string(ROWS, 0, below, book.add_format({"font_color": QUIET}))


def _words(plot: Plot, key: str) -> str:
    """Return a text around the plot in one line."""
    return " ".join(xml_text(plot.words(key)).split())


def _sheet(book: Workbook) -> Worksheet:
    """Return the sheet of the chart, without grid lines, on one page of paper."""
    sheet = book.add_worksheet(CHART)
    sheet.hide_gridlines(2)
    sheet.set_landscape()
    sheet.fit_to_pages(1, 1)
    return sheet


def _add_picture(book: Workbook, plot: Plot) -> None:
    """Insert the drawing, because no native chart shows the same."""
    drawn = draw(plot, Look())
    options = {"image_data": io.BytesIO(png(drawn.svg, 2)), "x_scale": 0.5, "y_scale": 0.5,
               "description": xml_text(drawn.description)}  # fmt: skip
    _sheet(book).insert_image(0, 0, "chart.png", options)


def _cells_of_data(native: NativeChart, frame: Frame) -> list[SeriesCells] | None:
    """Return the cells of the data if they have the shown values in their order, else None."""
    columns = {column.name: at for at, column in enumerate(frame.columns)}
    if len(columns) < len(frame.columns) or not frame.height:
        return None
    found = list[SeriesCells]()
    for one in native.series:
        along, column = _along(native, one, frame), columns.get(one.name)
        if along is UNKNOWN or column is None or frame.columns[column].numbers != one.values:
            return None
        found.append(SeriesCells(DATA, along, column, frame.height))
    return found


def _along(native: NativeChart, one: NativeSeries, frame: Frame) -> int | None:
    """Return the data column with the positions of a series: None for row numbers, UNKNOWN for no column."""
    if one.places:
        return next((at for at, column in enumerate(frame.columns) if _places(column) == one.places), UNKNOWN)
    axis = frame.axis
    if axis is None:
        return None
    days = tuple(date_.date() if date_ else None for date_ in axis.dates)
    same = days == native.dates if native.dates else axis.texts == native.names
    written = axis.type is ColumnType.TEXT or all(map(is_year, axis.texts))
    return 0 if same and (native.dates or written) else UNKNOWN


def _places(column: Column) -> tuple[float | None, ...]:
    """Return the numbers of the cells of a column in a workbook."""
    if column.type is ColumnType.DATE:
        return tuple(map(date_number, column.dates, column.texts))
    return column.numbers


def _write_cells(book: Workbook, native: NativeChart) -> list[SeriesCells]:
    """Write the shown values on a separate sheet; points have positions for each series."""
    sheet = book.add_worksheet(CELLS)
    head = book.add_format({"bold": True, "bottom": 1})
    years = bool(native.names) and all(map(is_year, native.names))
    code = book.add_format({"num_format": WHOLE_YEAR if years else native.along.code})
    found = list[SeriesCells]()
    column = 0
    for one in native.series:
        if one.places or not found:
            places: tuple[Any, ...] = one.places or native.names or native.dates
            sheet.write_string(0, column, xml_text(native.along.title), head)
            for row, place in enumerate(places, 1):
                _write(sheet, row, column, _number(place) if years or not native.names else place, code)
            along, column = column, column + 1
        sheet.write_string(0, column, xml_text(one.name), head)
        for row, value in enumerate(one.values, 1):
            if value is not None:
                sheet.write_number(row, column, value)
        found.append(SeriesCells(CELLS, along, column, len(places)))
        column += 1
    sheet.set_column(0, 0, 24)
    sheet.freeze_panes(1, 0)
    return found


def _number(place: Any) -> Any:
    """Return a day or a year as its spreadsheet number; anything else unchanged."""
    if isinstance(place, str):
        return int(place) if is_year(place) else place
    return serial(datetime.combine(place, time())) if isinstance(place, date) else place


def _write(sheet: Worksheet, row: int, column: int, value: Any, form: Any) -> None:
    if isinstance(value, str):
        sheet.write_string(row, column, xml_text(value))
    else:
        sheet.write_number(row, column, value, form)


def _chart(book: Workbook, native: NativeChart, cells: Sequence[SeriesCells]) -> Chart:
    chart: Chart = book.add_chart(_type_of(native))
    for where, one in zip(cells, native.series, strict=True):
        series: dict[str, object] = {"name": [where.sheet, 0, where.column], "values": where.of(where.column)}
        if where.along is not None:
            series["categories"] = where.of(where.along)
        chart.add_series({**series, **_look(native, one)})
    if native.form is not NativeForm.SHARES:
        along, values = _axis(native.along, native), _axis(native.values, native)
        # For horizontal bars, the library calls the vertical axis y, which has the names.
        chart.set_x_axis(values if native.lying else along)
        chart.set_y_axis(along if native.lying else values)
    place = "right" if native.form is NativeForm.SHARES else KEYS.get(native.key, "top")
    chart.set_legend({"none": True} if native.key is KeyPosition.NONE else {"position": place})
    return chart


def _type_of(native: NativeChart) -> dict[str, str]:
    if native.form is NativeForm.SHARES:
        return {"type": "doughnut" if native.ring else "pie"}
    kind = TYPES.get(native.form, "bar" if native.lying else "column")
    if native.form is NativeForm.PATHS:
        return {"type": kind, "subtype": "straight"}
    return {"type": kind, "subtype": "stacked"} if native.stacked else {"type": kind}


def _look(native: NativeChart, one: NativeSeries) -> dict[str, object]:
    """Return colours and labels of a series."""
    labels: dict[str, object] = {}
    if native.form is NativeForm.SHARES:
        return {
            "points": [{"fill": {"color": color}} for color in one.colors],
            "data_labels": {"percentage": True, "num_format": native.labels, "font": {"color": "#FFFFFF"}},
        }
    if native.labels:
        labels = {"data_labels": {"value": True, "num_format": native.labels, "position": "outside_end"}}
    color = {"color": one.colors[0]}
    if one.point_names:
        names = [{"value": xml_text(name)} if name else {"delete": True} for name in one.point_names]
        labels = {"data_labels": {"value": True, "custom": names, "position": "right"}}
    match native.form:
        case NativeForm.LINES | NativeForm.PATHS:
            lone = set(one.lone if len(one.values) <= MOST_MARKED else ())
            dot = {"type": "circle", "size": LONE, "fill": color, "border": {"none": True}}
            return {
                "line": {**color, "width": 2.25},
                # The library cannot mark single points: all points have a mark, and the marks of the others
                # are invisible.
                "marker": dot if one.lone else {"type": "none"},
                "points": [None if at in lone else UNSEEN for at in range(len(one.values))] if lone else None,
                **labels,
            }
        case NativeForm.POINTS:
            return {"marker": {"type": "circle", "fill": color, "border": {"none": True}}, **labels}
    gap: dict[str, object] = {"gap": 50} if native.form is NativeForm.BARS else {}
    if len(one.colors) > 1:
        gap["points"] = [{"fill": {"color": color}} for color in one.colors]
    return {"fill": color, **gap, **labels}


def _axis(axis: NativeAxis, native: NativeChart) -> dict[str, object]:
    along = axis is native.along
    wanted: dict[str, object] = {
        "name": axis.title[:LONGEST_NAME],
        "name_font": {"bold": False},
        "reverse": axis.reverse or (along and native.lying),
        "major_gridlines": {"visible": axis.grid and (not along or native.form is NativeForm.POINTS),
                            "line": {"color": "#E1E1E1"}},
        "label_position": "none" if not axis.labels else "next_to",
        "line": {"none": True} if not along else {},
    }  # fmt: skip
    if along and axis.labels:
        wanted["label_position"] = "high" if native.values.reverse else "low"
    if along and native.names:
        fit = fit_names(native, WIDE * PIXEL, ROWS * ROW * PIXEL, POINTS)
        step = fit.step if native.lying or fit.step > 1 else None
        font = {"size": fit.points, "rotation": -fit.turn}
        return {**wanted, "text_axis": True, "interval_unit": step, "num_font": font}
    wanted |= {"min": axis.low, "max": axis.high, "num_format": axis.code}
    if axis.log:
        wanted["log_base"] = 10
    if along and native.dates:
        wanted |= {"date_axis": True, "major_unit_type": axis.unit}
    if axis.step is not None:
        wanted["major_unit"] = fit_step(native, WIDE * PIXEL, POINTS) if along else axis.step
    if not along and native.labels:
        wanted |= {"visible": False, "major_gridlines": {"visible": False}}
    return wanted
