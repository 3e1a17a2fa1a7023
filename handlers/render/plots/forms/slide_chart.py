"""A native chart on a slide: its data, axes, key and colours."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from pptx.chart.data import BubbleChartData, CategoryChartData, ChartData, XyChartData
from pptx.dml.color import RGBColor
from pptx.enum.chart import (
    XL_CHART_TYPE,
    XL_LABEL_POSITION,
    XL_LEGEND_POSITION,
    XL_MARKER_STYLE,
    XL_TICK_LABEL_POSITION,
    XL_TICK_MARK,
)
from pptx.oxml.ns import qn
from pptx.oxml.xmlchemy import OxmlElement
from pptx.slide import Slide
from pptx.util import Emu, Pt

from handlers.render.plots.forms.embedded_fonts import add_face
from handlers.render.plots.look.options import KeyPosition
from handlers.render.plots.look.palette import LIGHT
from handlers.render.plots.look.type_metrics import FAMILY
from handlers.render.plots.shown.native_axes import NativeAxis
from handlers.render.plots.shown.native_chart import (
    MOST_COLORED,
    NativeChart,
    NativeForm,
    NativeSeries,
    fit_names,
    fit_step,
)
from handlers.render.plots.tables.spreadsheet_codes import is_year
from handlers.words.terminal_signs import xml_text

Box = tuple[Emu, Emu, Emu, Emu]
"""Left, top, width and height."""
DEGREE = 60_000
LONGEST_NAME = 200
LONE, DOT = 7, 7
"""Size in points of the mark of a value between gaps, and of the marks of a scatter plot."""
BARS = {
    (False, False): XL_CHART_TYPE.COLUMN_CLUSTERED, (True, False): XL_CHART_TYPE.COLUMN_STACKED,
    (False, True): XL_CHART_TYPE.BAR_CLUSTERED, (True, True): XL_CHART_TYPE.BAR_STACKED,
}  # fmt: skip
"""Types of bars by whether they are stacked and whether they are horizontal."""
OTHERS = {
    NativeForm.LINES: XL_CHART_TYPE.LINE,
    NativeForm.POINTS: XL_CHART_TYPE.XY_SCATTER,
    NativeForm.PATHS: XL_CHART_TYPE.XY_SCATTER_LINES_NO_MARKERS,
    NativeForm.BUBBLES: XL_CHART_TYPE.BUBBLE,
}
KEYS = {KeyPosition.AUTO: XL_LEGEND_POSITION.TOP, KeyPosition.TOP: XL_LEGEND_POSITION.TOP,
        KeyPosition.BOTTOM: XL_LEGEND_POSITION.BOTTOM}  # fmt: skip


def add_chart(slide: Slide, chart: NativeChart, box: Box, points: float) -> Any:
    """Return the shape of a chart in a box of a slide, in a font size in points."""
    step = fit_step(chart, Emu(box[2]).pt, points)
    chart = replace(chart, along=replace(chart.along, step=step))
    shape = slide.shapes.add_chart(_type_of(chart), *box, _data_of(chart))
    made = shape.chart
    made.has_title = False
    made.font.size, made.font.name = Pt(round(points, 1)), FAMILY
    add_face(next(made._chartSpace.iter(qn("a:latin"))), FAMILY)
    made.font.color.rgb = _rgb(LIGHT.quiet)
    rounded = chart.form is NativeForm.SHARES
    made.has_legend = chart.key is not KeyPosition.NONE
    if made.has_legend:
        made.legend.position = XL_LEGEND_POSITION.RIGHT if rounded else KEYS[chart.key]
        made.legend.include_in_layout = False
    _color_marks(made, chart)
    if not rounded:
        _draw_axes(made, chart)
        _fit_names(made, chart, box, points)
    for made_series, one in zip(made.plots[0].series, chart.series, strict=True):
        _name_points(made_series, one.point_names, points)
        if chart.form in (NativeForm.LINES, NativeForm.PATHS):
            _mark_lone(made_series, one)
    if chart.labels:
        _label(made.plots[0], points, chart.labels, shares=rounded)
    if chart.form is NativeForm.BARS:
        made.plots[0].gap_width = 50
        if chart.labels:
            made.value_axis.has_major_gridlines = made.value_axis.visible = False
    return shape


def _type_of(chart: NativeChart) -> Any:
    match chart.form:
        case NativeForm.BARS:
            return BARS[chart.stacked, chart.lying]
        case NativeForm.AREAS:
            return XL_CHART_TYPE.AREA_STACKED if chart.stacked else XL_CHART_TYPE.AREA
        case NativeForm.SHARES:
            return XL_CHART_TYPE.DOUGHNUT if chart.ring else XL_CHART_TYPE.PIE
    return OTHERS[chart.form]


def _data_of(chart: NativeChart) -> ChartData:
    if chart.form in (NativeForm.POINTS, NativeForm.PATHS, NativeForm.BUBBLES):
        return _placed_data(chart)
    data = CategoryChartData(number_format=chart.values.code)
    years = all(map(is_year, chart.names))
    names = [int(name) if years else xml_text(name)[:LONGEST_NAME] for name in chart.names]
    data.categories = chart.dates or names
    for one in chart.series:
        data.add_series(xml_text(one.name)[:LONGEST_NAME], one.values)
    return data


def _placed_data(chart: NativeChart) -> XyChartData:
    """Return the data of points, each at its own position."""
    sized = chart.form is NativeForm.BUBBLES
    data = BubbleChartData() if sized else XyChartData()
    for one in chart.series:
        series = data.add_series(xml_text(one.name)[:LONGEST_NAME])
        for at, (place, value) in enumerate(zip(one.places, one.values, strict=True)):
            series.add_data_point(place, value, *([one.amounts[at]] if sized else []))
    return data


def _color_marks(made: Any, chart: NativeChart) -> None:
    marks = list(made.plots[0].series)
    colors = [_rgb(one.colors[0]) for one in chart.series]
    if len(chart.series[0].colors) > 1 or chart.form is NativeForm.SHARES:
        count = min(MOST_COLORED, len(chart.names))
        marks = [marks[0].points[index] for index in range(count)]
        colors = [_rgb(color) for color in chart.series[0].colors]
    for mark, color in zip(marks[:MOST_COLORED], colors, strict=False):
        _color(mark, color, chart.form, chart.opacity)


def _color(mark: Any, color: RGBColor, form: NativeForm, opacity: float) -> None:
    if form in (NativeForm.LINES, NativeForm.PATHS):
        mark.format.line.color.rgb = color
        mark.format.line.width = Pt(2.25)
        mark.marker.style = XL_MARKER_STYLE.NONE
        if form is NativeForm.LINES:
            mark.smooth = False
    elif form is NativeForm.POINTS:
        mark.format.line.fill.background()
        _dot(mark.marker, color, DOT)
    else:
        mark.format.fill.solid()
        mark.format.fill.fore_color.rgb = color
        if opacity < 1:
            (fill,) = mark.format.fill._xPr.find(qn("a:solidFill"))
            fill.append(_element("a:alpha", str(round(100_000 * opacity))))


def _dot(marker: Any, color: RGBColor, size: int) -> None:
    marker.style, marker.size = XL_MARKER_STYLE.CIRCLE, size
    marker.format.fill.solid()
    marker.format.fill.fore_color.rgb = color
    marker.format.line.fill.background()


def _mark_lone(series: Any, one: NativeSeries) -> None:
    """Mark single values between gaps; if there are many, all values, because each mark is an element."""
    marks = [series] if len(one.lone) > MOST_COLORED else [series.points[at] for at in one.lone]
    for mark in marks:
        _dot(mark.marker, _rgb(one.colors[0]), LONE)


def _draw_axes(made: Any, chart: NativeChart) -> None:
    """Draw faint grid lines, no line along the value axis, and names below negative values."""
    names, values = made.category_axis, made.value_axis
    values.format.line.fill.background()
    names.format.line.color.rgb = _rgb(LIGHT.edge)
    for axis, wanted in ((names, chart.along), (values, chart.values)):
        axis.major_tick_mark = axis.minor_tick_mark = XL_TICK_MARK.NONE
        _set_axis(axis, wanted, numeric=axis is values or bool(chart.dates) or not chart.names)
    names.has_major_gridlines = chart.form in (NativeForm.POINTS, NativeForm.BUBBLES) and chart.along.grid
    values.has_major_gridlines = chart.values.grid
    for axis in (names, values):
        if axis.has_major_gridlines:
            axis.major_gridlines.format.line.color.rgb = _rgb(LIGHT.grid)
            axis.major_gridlines.format.line.width = Pt(0.75)
    if chart.form is NativeForm.BARS:
        # Slides have the first category at the bottom, plots at the top.
        names.reverse_order = chart.lying
    if chart.along.labels:
        turned = chart.values.reverse
        names.tick_label_position = XL_TICK_LABEL_POSITION.HIGH if turned else XL_TICK_LABEL_POSITION.LOW
    if not chart.names and not chart.dates and chart.values.labels:
        values.tick_label_position = XL_TICK_LABEL_POSITION.LOW


def _set_axis(axis: Any, wanted: NativeAxis, *, numeric: bool) -> None:
    if not wanted.labels:
        axis.tick_label_position = XL_TICK_LABEL_POSITION.NONE
    axis.reverse_order = wanted.reverse
    if wanted.title:
        axis.has_title = True
        axis.axis_title.text_frame.text = xml_text(wanted.title)[:LONGEST_NAME]
        font = axis.axis_title.text_frame.paragraphs[0].font
        font.size, font.bold = Pt(12), False
    if not numeric:
        return
    axis.tick_labels.number_format, axis.tick_labels.number_format_is_linked = wanted.code, False
    axis.minimum_scale, axis.maximum_scale = wanted.low, wanted.high
    element = axis._element
    if wanted.log:
        element.find(qn("c:scaling")).insert(0, _element("c:logBase", "10"))
    if wanted.step is None:
        return
    if not wanted.unit:
        axis.major_unit = wanted.step
        return
    for name, value in (("c:majorUnit", f"{wanted.step:g}"), ("c:majorTimeUnit", wanted.unit)):
        element.append(_element(name, value))


def _fit_names(made: Any, chart: NativeChart, box: Box, points: float) -> None:
    """Write the names that fit, in the font size in which they fit."""
    if not chart.names:
        return
    fit, labels = fit_names(chart, Emu(box[2]).pt, Emu(box[3]).pt, points), made.category_axis.tick_labels
    labels.font.size = Pt(round(fit.points, 1))
    if fit.turn:  # with a turn of 0 LibreOffice might write names over each other
        made.category_axis._element.txPr.bodyPr.set("rot", str(-DEGREE * fit.turn))
    if chart.lying or fit.step > 1:
        last = made.category_axis._element.find(qn("c:noMultiLvlLbl"))
        last.addprevious(_element("c:tickLblSkip", str(fit.step)))


def _name_points(series: Any, names: tuple[str, ...], points: float) -> None:
    """Write the names of a few points, beside them."""
    for index, name in enumerate(names):
        if name:
            label = series.points[index].data_label
            label.text_frame.text = xml_text(name)[:LONGEST_NAME]
            label.text_frame.paragraphs[0].font.size = Pt(round(points * 0.85, 1))
            label.position = XL_LABEL_POSITION.RIGHT


def _label(drawn: Any, points: float, code: str, *, shares: bool) -> None:
    """Write the values, or their shares of the whole, at their marks."""
    drawn.has_data_labels = True
    labels = drawn.data_labels
    labels.show_value, labels.show_percentage = not shares, shares
    labels.number_format, labels.number_format_is_linked = code, False
    labels.font.size = Pt(round(points, 1))
    if shares:
        labels.font.color.rgb = _rgb("#ffffff")
    else:
        labels.position = XL_LABEL_POSITION.OUTSIDE_END


def _element(name: str, value: str) -> Any:
    made = OxmlElement(name)
    made.set("val", value)
    return made


def _rgb(color: str) -> RGBColor:
    return RGBColor.from_string(color[1:].upper())
