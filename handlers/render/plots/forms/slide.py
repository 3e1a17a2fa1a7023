"""A plot as a slide: a native chart that its reader can edit where there is one, else the picture."""

from __future__ import annotations

import io
import re
import zipfile
from datetime import datetime
from typing import Any

from pptx import Presentation
from pptx.chart.data import BubbleChartData, CategoryChartData, ChartData, XyChartData
from pptx.dml.color import RGBColor
from pptx.enum.chart import (
    XL_CHART_TYPE,
    XL_LEGEND_POSITION,
    XL_MARKER_STYLE,
    XL_TICK_LABEL_POSITION,
    XL_TICK_MARK,
)
from pptx.slide import Slide
from pptx.util import Emu, Pt

from handlers.render.plots.data.chart_frame import chart_frame
from handlers.render.plots.data.frame import Frame
from handlers.render.plots.data.series import sum_repeated
from handlers.render.plots.data.type_columns import unit_of_series
from handlers.render.plots.drawn.point_series import point_columns, spots_of
from handlers.render.plots.forms.drawing import Look, describe, draw
from handlers.render.plots.forms.raster import png
from handlers.render.plots.look.options import read_options
from handlers.render.plots.look.palette import LIGHT
from handlers.render.plots.look.style import style_of
from handlers.render.plots.look.type_metrics import FAMILY
from handlers.render.plots.plot import Plot
from handlers.render.plots.tables.spreadsheet_codes import GENERAL, code_of_column
from handlers.render.plots.vocabulary import BARS, POINTS, SHARES

WIDTH, HEIGHT = Emu(12_192_000), Emu(6_858_000)
MARGIN = Emu(609_600)
INNER = Emu(WIDTH - 2 * MARGIN)
MADE = datetime(2000, 1, 1)  # noqa: DTZ001
CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")
STAMPS = re.compile(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
MOST_POINTS = 5_000
MOST_COLORED, MOST_LABELS = 100, 12
NATIVE = {
    "bar": XL_CHART_TYPE.COLUMN_CLUSTERED, "gbar": XL_CHART_TYPE.COLUMN_CLUSTERED,
    "sbar": XL_CHART_TYPE.COLUMN_STACKED, "abar": XL_CHART_TYPE.COLUMN_STACKED,
    "hbar": XL_CHART_TYPE.BAR_CLUSTERED, "hgbar": XL_CHART_TYPE.BAR_CLUSTERED,
    "hsbar": XL_CHART_TYPE.BAR_STACKED, "habar": XL_CHART_TYPE.BAR_STACKED,
    "line": XL_CHART_TYPE.LINE, "area": XL_CHART_TYPE.AREA, "sarea": XL_CHART_TYPE.AREA_STACKED,
    "pie": XL_CHART_TYPE.PIE, "donut": XL_CHART_TYPE.DOUGHNUT,
    "scatter": XL_CHART_TYPE.XY_SCATTER, "bubble": XL_CHART_TYPE.BUBBLE,
}  # fmt: skip


def pptx(plot: Plot, frame: Frame) -> bytes:
    """A presentation of one slide: title, chart, caption as notes; the same bytes for the same plot."""
    deck = Presentation()
    deck.slide_width, deck.slide_height = WIDTH, HEIGHT
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    title = slide.shapes.title
    title.left, title.top, title.width, title.height = MARGIN, Emu(300_000), INNER, Emu(900_000)
    title.text_frame.text = _plain(plot.config.get("title", "").strip() or plot.name or "Plot")[:300]
    title.text_frame.paragraphs[0].font.size = Pt(28)
    place_chart(slide, plot, frame, (MARGIN, Emu(1_300_000), INNER, Emu(HEIGHT - 1_700_000)))
    words = [plot.config.get(key, "").strip() for key in ("subtitle", "caption")]
    slide.notes_slide.notes_text_frame.text = _plain(
        "\n".join(word for word in [describe(plot, frame), *words] if word)
    )
    deck.core_properties.created = deck.core_properties.modified = MADE
    deck.core_properties.title = _plain(plot.config.get("title", "") or plot.name)[:200]
    deck.core_properties.author = ""
    made = io.BytesIO()
    deck.save(made)
    return steady_zip(made.getvalue())


def place_chart(
    slide: Slide, plot: Plot, frame: Frame, box: tuple[Emu, Emu, Emu, Emu], points: float = 14
) -> bool:
    """Set the plot into a box of a slide, with letters of so many points; True when it is a native chart."""
    lying, reverse = plot.type.startswith(("h", "ih")), plot.type.startswith("i")
    word = plot.type.removeprefix("i") if plot.type in BARS else plot.type
    data = _native_data(word, chart_frame(frame)[0]) if word in NATIVE else None
    if data is not None:
        shape = slide.shapes.add_chart(NATIVE[word], *box, data)
        _look(shape.chart, plot, frame, points)
        if word in BARS:
            # Slides count categories from below, and plots from above.
            shape.chart.category_axis.reverse_order = lying
            if lying:
                shape.chart.value_axis.tick_label_position = XL_TICK_LABEL_POSITION.HIGH
            shape.chart.value_axis.reverse_order = reverse
        shape._element.nvGraphicFramePr.cNvPr.set("descr", _plain(describe(plot, frame)))
        return True
    drawn = draw(plot, Look(width=1200, header=False, caption=True))
    shape = slide.shapes.add_picture(io.BytesIO(png(drawn.svg, 2)), box[0], box[1], width=box[2])
    if shape.height > box[3]:
        shape.width, shape.height = Emu(int(shape.width * box[3] / shape.height)), box[3]
    shape.left = Emu(box[0] + (box[2] - shape.width) // 2)
    shape._element.nvPicPr.cNvPr.set("descr", _plain(drawn.description))
    return False


def _native_data(word: str, frame: Frame) -> ChartData | None:
    """The data of a native chart; None where the picture says more than one could."""
    if frame.blank or frame.height * len(frame.series) > MOST_POINTS:
        return None
    if word in POINTS:
        return _points(frame, sized=word == "bubble")
    return _categories(sum_repeated(frame) if word.endswith("abar") else frame, single=word in SHARES)


def steady_zip(archive: bytes) -> bytes:
    """The same archive with one time for all members, so that equal content makes equal bytes."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(archive)) as old, zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as new:
        for name in sorted(old.namelist(), key=lambda name: (name != "[Content_Types].xml", name)):
            body = old.read(name)
            if name.endswith(".xlsx"):
                body = steady_zip(body)
            elif name == "docProps/core.xml":
                body = STAMPS.sub(b"2000-01-01T00:00:00Z", body)
            new.writestr(zipfile.ZipInfo(name, (2000, 1, 1, 0, 0, 0)), body, zipfile.ZIP_DEFLATED)
    return made.getvalue()


def _categories(frame: Frame, *, single: bool) -> CategoryChartData:
    data = CategoryChartData()
    data.categories = [_plain(name)[:200] for name in frame.categories]
    for column in frame.series[:1] if single else frame.series:
        data.add_series(_plain(column.name)[:200], column.numbers)
    return data


def _points(frame: Frame, *, sized: bool) -> XyChartData | None:
    columns = point_columns(frame, sized=sized)
    spots, _ = spots_of(frame, sized=sized)
    if columns is None or not spots or (sized and columns.size is None):
        return None
    data = BubbleChartData() if sized else XyChartData()
    series = [data.add_series(_plain(name)[:200]) for name in columns.series]
    for spot in spots:
        series[spot.series].add_data_point(spot.x, spot.y, *([spot.amount] if sized else []))
    return data


def _look(chart: Any, plot: Plot, frame: Frame, points: float) -> None:
    chart.has_title = False
    chart.font.size, chart.font.name = Pt(round(points, 1)), FAMILY
    chart.font.color.rgb = _rgb(LIGHT.quiet)
    rounded = plot.type in SHARES
    chart.has_legend = rounded or (len(frame.series) > 1 and plot.type not in POINTS)
    if chart.has_legend:
        chart.legend.position = XL_LEGEND_POSITION.RIGHT if rounded else XL_LEGEND_POSITION.TOP
        chart.legend.include_in_layout = False
    style = style_of(900, "light", read_options(plot.config, "light").colors.series)
    marks = list(chart.plots[0].series)
    colors = style.tones([column.name for column in frame.series])
    if rounded:
        marks = [marks[0].points[index] for index in range(min(MOST_COLORED, len(list(marks[0].values))))]
        colors = tuple(style.category(index) for index in range(len(marks)))
        _label(chart.plots[0], points, "0%", shares=True)
    else:
        _draw_axes(chart)
        _show_units(chart, plot, frame)
    for mark, color in zip(marks[:MOST_COLORED], colors, strict=False):
        _color(mark, _rgb(color))
    if plot.type in BARS:
        chart.plots[0].gap_width = 50
        if len(marks) == 1 and frame.height <= MOST_LABELS:
            _label(chart.plots[0], points, code_of_series(plot, frame), shares=False)
            chart.value_axis.has_major_gridlines = chart.value_axis.visible = False


def _color(mark: Any, color: RGBColor) -> None:
    if "Line" in type(mark).__name__:
        mark.format.line.color.rgb = color
        mark.format.line.width = Pt(2.25)
        mark.marker.style = XL_MARKER_STYLE.NONE
        mark.smooth = False
    elif "Xy" in type(mark).__name__:
        mark.format.line.fill.background()
        mark.marker.format.fill.solid()
        mark.marker.format.fill.fore_color.rgb = color
        mark.marker.format.line.fill.background()
    else:
        mark.format.fill.solid()
        mark.format.fill.fore_color.rgb = color


def _draw_axes(chart: Any) -> None:
    """Quiet lines behind the values, none at their scale."""
    names, values = chart.category_axis, chart.value_axis
    values.format.line.fill.background()
    names.format.line.color.rgb = _rgb(LIGHT.edge)
    names.has_major_gridlines = False
    values.major_gridlines.format.line.color.rgb = _rgb(LIGHT.grid)
    values.major_gridlines.format.line.width = Pt(0.75)
    for axis in (names, values):
        axis.major_tick_mark = axis.minor_tick_mark = XL_TICK_MARK.NONE


def _show_units(chart: Any, plot: Plot, frame: Frame) -> None:
    """Write the numbers along the axes in the unit that they were sent in."""
    if plot.type in POINTS:
        across, upward = (code_of_column(column) for column in spots_of(frame, sized=False)[1][:2])
        axes = [(chart.category_axis, across), (chart.value_axis, upward)]
    else:
        axes = [(chart.value_axis, code_of_series(plot, frame))]
    for axis, code in axes:
        if code != GENERAL:
            axis.tick_labels.number_format, axis.tick_labels.number_format_is_linked = code, False


def code_of_series(plot: Plot, frame: Frame) -> str:
    """The code of spreadsheets that shows the unit which all series of a plot have."""
    return code_of_column(frame.series[0]) if unit_of_series(frame, plot.type) else GENERAL


def _label(drawn: Any, points: float, form: str, *, shares: bool) -> None:
    """The values, or their shares of the whole, at the marks that stand for them."""
    drawn.has_data_labels = True
    labels = drawn.data_labels
    labels.show_value, labels.show_percentage = not shares, shares
    labels.number_format, labels.number_format_is_linked = form, False
    labels.font.size = Pt(round(points, 1))
    if shares:
        labels.font.color.rgb = _rgb("#ffffff")


def _rgb(color: str) -> RGBColor:
    return RGBColor.from_string(color[1:].upper())


def _plain(text: str) -> str:
    return CONTROL.sub("", text)
