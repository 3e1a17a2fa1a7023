"""Plot types: the words of `config/type` and how each is drawn; any other word is drawn as a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from handlers.render.plots.charts.bars import draw_bars
from handlers.render.plots.charts.chart import Chart
from handlers.render.plots.charts.distributions import draw_boxes
from handlers.render.plots.charts.figures import draw_figure, draw_spark
from handlers.render.plots.charts.histograms import draw_histogram
from handlers.render.plots.charts.horizontal_bars import draw_horizontal_bars
from handlers.render.plots.charts.line_box import LineKind
from handlers.render.plots.charts.lines import draw_lines
from handlers.render.plots.charts.matrices import draw_calendar, draw_heat_map
from handlers.render.plots.charts.points import draw_points
from handlers.render.plots.charts.shares import draw_shares
from handlers.render.plots.charts.table_plot import draw_table
from handlers.render.plots.data.frame import Frame
from handlers.render.plots.data.series import BarKind
from handlers.render.plots.drawn.point_series import spots_of
from handlers.render.plots.look.options import ChartOptions
from handlers.render.plots.look.style import Style
from handlers.render.plots.tables.styled_table import StyledTable

Draw = Callable[[Style, Frame, float | None, ChartOptions], Chart]


@dataclass(frozen=True, slots=True)
class PlotType:
    """A type: the function that draws it, its name in a description, and what of the data it lacks."""

    draw: Draw
    noun: str
    lacks: Callable[[Frame], str] | None = None


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
}

TABLE = PlotType(
    lambda style, frame, box, options: draw_table(style, StyledTable(frame, {}, style.mode), box),
    "table",
    lambda frame: "",
)


def type_of(word: str) -> PlotType:
    """The type of a word; a table for a word that names none."""
    return TYPES.get(word, TABLE)
