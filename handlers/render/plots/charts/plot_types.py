"""Plot types: the words of `config/type` and how each is drawn; any other word is drawn as a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from handlers.render.plots.charts.bars import draw_bars
from handlers.render.plots.charts.cells.table_plot import draw_table
from handlers.render.plots.charts.chart import Draw
from handlers.render.plots.charts.distributions import draw_boxes
from handlers.render.plots.charts.figures import draw_figure, draw_spark
from handlers.render.plots.charts.histograms import draw_histogram
from handlers.render.plots.charts.horizontal_bars import draw_horizontal_bars
from handlers.render.plots.charts.line_box import LineKind
from handlers.render.plots.charts.lines import draw_lines
from handlers.render.plots.charts.maps.choropleths import draw_choropleth
from handlers.render.plots.charts.maps.symbol_maps import draw_symbol_map
from handlers.render.plots.charts.marks.row_fit import fit_rows, fit_sets
from handlers.render.plots.charts.matrices import draw_calendar, draw_heat_map
from handlers.render.plots.charts.parts.funnels import draw_funnel
from handlers.render.plots.charts.parts.pyramids import draw_pyramid
from handlers.render.plots.charts.parts.treemaps import draw_treemap
from handlers.render.plots.charts.parts.waterfalls import draw_waterfall
from handlers.render.plots.charts.points import draw_points
from handlers.render.plots.charts.ranges.dots import DotKind, draw_dots
from handlers.render.plots.charts.ranges.intervals import draw_bands, draw_error_bars
from handlers.render.plots.charts.ranges.slopes import draw_slopes
from handlers.render.plots.charts.ranges.strips import draw_strips
from handlers.render.plots.charts.shares import draw_shares
from handlers.render.plots.charts.spans.gantt import draw_gantt
from handlers.render.plots.data.frame import ColumnType, Frame
from handlers.render.plots.data.series import BarKind
from handlers.render.plots.drawn.column_roles import number_columns
from handlers.render.plots.drawn.intervals import interval_columns
from handlers.render.plots.drawn.map_places import map_roles
from handlers.render.plots.drawn.point_series import spots_of
from handlers.render.plots.drawn.running_sums import sum_roles
from handlers.render.plots.drawn.spans import span_roles
from handlers.render.plots.drawn.tiles import tile_roles
from handlers.render.plots.tables.styled_table import StyledTable


@dataclass(frozen=True, slots=True)
class PlotType:
    """A type: the function that draws it, its name in a description, and what of the drawn data it lacks.

    `asks` tells, of the data as they were sent, which columns the type takes and does not find; a `dated` one
    needs no numbers.
    """

    draw: Draw
    noun: str
    lacks: Callable[[Frame], str] | None = None
    asks: Callable[[Frame], str] | None = None
    dated: bool = False


def _bar(kind: BarKind, *, lying: bool, reverse: bool) -> Draw:
    builder = draw_horizontal_bars if lying else draw_bars
    return lambda style, frame, box, options: builder(style, frame, box, kind, options, reverse=reverse)


def _line(kind: LineKind) -> Draw:
    return lambda style, frame, box, options: draw_lines(style, frame, box, kind, options)


def _bars() -> Mapping[str, PlotType]:
    """The sixteen types of bars: `bar gbar sbar abar`, lying with `h`, with a turned value axis with `i`."""
    kinds = {
        "bar": BarKind.GROUPED,
        "gbar": BarKind.GROUPED,
        "sbar": BarKind.STACKED,
        "abar": BarKind.STACKED,
    }
    return {
        prefix + word: PlotType(
            _bar(kind, lying="h" in prefix, reverse="i" in prefix),
            "stacked bar chart" if kind is BarKind.STACKED else "bar chart",
        )
        for word, kind in kinds.items()
        for prefix in ("", "h", "i", "ih")
    }


def _points(frame: Frame) -> str:
    return "" if spots_of(frame, sized=False)[0] else "two columns of numbers"


def _positive(frame: Frame) -> str:
    return "" if any(value and value > 0 for value in frame.series[0].numbers) else "a value above 0"


def _days(frame: Frame) -> str:
    return "" if frame.moments else "dates in the first column, such as 2026-11-20"


def _series_asked(frame: Frame, count: int, example: str) -> str:
    """The sentence that asks for so many series; empty where they are there."""
    numbers = [column for column in frame.columns if column.type is ColumnType.NUMBER]
    if len(numbers) >= count and (frame.axis is None or len(numbers) > count or frame.axis not in numbers):
        return ""
    return f"names and {number_columns(count)}, such as {example}"


def _bounds_asked(frame: Frame) -> str:
    if interval_columns(frame):
        return ""
    return "names or days, values, and their bounds or errors, such as day,value,low,high or name,value,error"


def _spans_asked(frame: Frame) -> str:
    if span_roles(frame):
        return ""
    return "tasks with a start and an end, both dates or both numbers, such as task,start,end"


def _places_asked(frame: Frame, word: str) -> str:
    if map_roles(frame, word):
        return ""
    points = " or name,lat,lon,value" if word == "symbolmap" else ""
    return f"countries by ISO code or English name and values, such as iso,value{points}"


def _dots(kind: DotKind, noun: str) -> PlotType:
    count = 2 if kind in (DotKind.JOINED, DotKind.RANGE) else 1
    example = "name,from,to" if count == 2 else "name,value"
    return PlotType(
        fit_rows(lambda style, frame, box, options: draw_dots(style, frame, box, kind, options)),
        noun,
        asks=lambda frame: _series_asked(frame, count, example),
    )


TYPES: Mapping[str, PlotType] = {
    **_bars(),
    "line": PlotType(_line(LineKind.LINE), "line chart"),
    "step": PlotType(_line(LineKind.STEP), "step chart"),
    "area": PlotType(_line(LineKind.AREA), "area chart"),
    "sarea": PlotType(_line(LineKind.STACKED), "stacked area chart"),
    "spark": PlotType(draw_spark, "spark line"),
    "pie": PlotType(lambda *given: draw_shares(*given, ring=False), "pie chart", _positive),
    "donut": PlotType(lambda *given: draw_shares(*given, ring=True), "ring chart", _positive),
    "scatter": PlotType(lambda *given: draw_points(*given, sized=False), "scatter plot", _points),
    "bubble": PlotType(lambda *given: draw_points(*given, sized=True), "bubble chart", _points),
    "hist": PlotType(draw_histogram, "histogram"),
    "box": PlotType(draw_boxes, "box plot"),
    "heatmap": PlotType(draw_heat_map, "heat map"),
    "calendar": PlotType(draw_calendar, "calendar", _days),
    "value": PlotType(draw_figure, "figure"),
    "dot": _dots(DotKind.DOT, "dot plot"),
    "lollipop": _dots(DotKind.STICK, "lollipop chart"),
    "dumbbell": _dots(DotKind.JOINED, "dumbbell chart"),
    "range": _dots(DotKind.RANGE, "range chart"),
    "slope": PlotType(
        draw_slopes, "slope chart", asks=lambda frame: _series_asked(frame, 2, "name,before,after")
    ),
    "errorbar": PlotType(fit_rows(draw_error_bars), "error bars", asks=_bounds_asked),
    "band": PlotType(draw_bands, "line chart with bands", asks=_bounds_asked),
    "gantt": PlotType(fit_rows(draw_gantt, lines_above=2.0), "gantt chart", asks=_spans_asked, dated=True),
    "strip": PlotType(fit_sets(draw_strips), "strip plot"),
    "treemap": PlotType(
        draw_treemap,
        "treemap",
        _positive,
        asks=lambda frame: "" if tile_roles(frame) else "names and values, such as group,name,value",
    ),
    "funnel": PlotType(
        fit_rows(draw_funnel, lines_above=0.0),
        "funnel",
        _positive,
        asks=lambda frame: _series_asked(frame, 1, "step,people"),
    ),
    "pyramid": PlotType(draw_pyramid, "pyramid", asks=lambda frame: _series_asked(frame, 2, "age,women,men")),
    "choropleth": PlotType(draw_choropleth, "map", asks=lambda frame: _places_asked(frame, "choropleth")),
    "symbolmap": PlotType(
        draw_symbol_map, "map with circles", asks=lambda frame: _places_asked(frame, "symbolmap")
    ),
    "waterfall": PlotType(
        fit_rows(draw_waterfall),
        "waterfall chart",
        asks=lambda frame: "" if sum_roles(frame) else "names and values, such as name,value,total",
    ),
}

TABLE = PlotType(
    lambda style, frame, box, options: draw_table(style, StyledTable(frame, {}, style.mode), box),
    "table",
    lambda frame: "",
)


def type_of(word: str) -> PlotType:
    """The type of a word; a table for a word that names none."""
    return TYPES.get(word, TABLE)
