"""Trends on a chart: a dashed line over the marks of each series, in its colour."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from handlers.render.plots.charts.chart import Chart, KeyEntry, Spec, layer, own_color, pixels
from handlers.render.plots.data.frame import Frame
from handlers.render.plots.data.trends import Trend
from handlers.render.plots.drawn.point_series import point_columns
from handlers.render.plots.look.options import ChartOptions
from handlers.render.plots.look.style import Style

Draw = Callable[[Style, Frame, float | None, ChartOptions], Chart]
DASH = [7, 4]


def draw_trends(draw: Draw) -> Draw:
    """The drawing with the trends of its options."""

    def draw_both(style: Style, frame: Frame, box: float | None, options: ChartOptions) -> Chart:
        chart = draw(style, frame, box, options)
        scales, spec = chart.scales, chart.spec
        if not options.trends or spec is None or scales is None or scales.at is None:
            return chart
        tones = _tones(style, frame, options.trends)
        at, up = scales.at, scales.upward
        rows = [
            {"x": at(one.start[0]), "x2": at(one.end[0]), "y": up(one.start[1]), "y2": up(one.end[1]),
             "color": tone}
            for one, tone in zip(options.trends, tones, strict=True)
        ]  # fmt: skip
        tone = tones[0] if len(set(tones)) == 1 else style.palette.quiet
        key = (*chart.key, KeyEntry("dash", tone, "trend" if len(rows) == 1 else "trends"))
        return replace(chart, spec={**spec, "layer": [*spec["layer"], *_lines(style, rows)]}, key=key)

    return draw_both


def _tones(style: Style, frame: Frame, trends: Sequence[Trend]) -> list[str]:
    """The colours of the series whose trends they are."""
    columns = [column.name for column in frame.series]
    points = point_columns(frame, sized=False)
    names = columns
    if not any(one.name in columns for one in trends) and points is not None:
        names = list(points.series)
    by_name = dict(zip(names, style.tones(names), strict=True))
    return [by_name.get(one.name, style.category(one.series)) for one in trends]


def _lines(style: Style, rows: Sequence[dict[str, Any]]) -> list[Spec]:
    """The lines, each on a halo of the ground."""
    places: Spec = {"x": pixels("x"), "x2": {"field": "x2"}, "y": pixels("y"), "y2": {"field": "y2"}}
    halo = {"color": style.palette.paper, "strokeWidth": style.stroke + 2, "opacity": 0.8}
    look = {"strokeWidth": style.stroke * 0.8, "strokeDash": DASH, "opacity": 1}
    return [layer("rule", places, rows, halo), layer("rule", {**places, "color": own_color()}, rows, look)]
