"""Names of axes on a chart: that of the values above its left end, that along it below its right end."""

from __future__ import annotations

from handlers.render.plots.charts.chart import Chart, Draw
from handlers.render.plots.charts.marks.axes import name_along, name_upward
from handlers.render.plots.charts.marks.canvas import Canvas
from handlers.render.plots.data.frame import Frame
from handlers.render.plots.look.options import ChartOptions
from handlers.render.plots.look.style import Style
from handlers.render.plots.plot_type import PlotType


def draw_named(draw: Draw, kind: PlotType) -> Draw:
    """The drawing of a type with the names that its axes are given, if it has axes."""

    def draw_both(style: Style, frame: Frame, box: float | None, options: ChartOptions) -> Chart:
        lines = bool(options.along.name) + bool(options.values.name)
        if not lines or "axis" not in kind.reads:
            return draw(style, frame, box, options)
        chart, room = draw(style, frame, box, options), style.line + 2.0
        if chart.scales is not None and chart.scales.named:  # which has them already
            return chart
        if box is not None:
            chart = draw(style, frame, max(24.0, box - lines * room), options)
        names = options.values.name, options.along.name
        lying = kind.across or (chart.scales is not None and chart.scales.lying)
        return _with_names(style, chart, names[::-1] if lying else names, room, rows=lying)

    return draw_both


def _with_names(style: Style, chart: Chart, names: tuple[str, str], room: float, *, rows: bool) -> Chart:
    """The chart below the name of its upright axis or its rows, and above that of the other."""
    (upper, lower), canvas = names, Canvas()
    right = chart.scales.left + chart.scales.width if chart.scales is not None else style.inner
    if upper:
        name_upward(canvas, style, upper, -room / 2, arrow=not rows)
    if lower:
        name_along(canvas, style, lower, right, chart.height + room / 2)
    return chart.in_frame(above=room * bool(upper), below=room * bool(lower), over=canvas.svg())
