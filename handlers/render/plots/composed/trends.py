"""Trends on a chart: a dashed line over the marks of each series, in its colour."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from handlers.render.plots.charts.chart import Chart, Draw, KeyEntry
from handlers.render.plots.charts.marks.canvas import Canvas
from handlers.render.plots.data.frame import Frame
from handlers.render.plots.data.trends import Trend
from handlers.render.plots.drawn.point_series import point_columns
from handlers.render.plots.look.options import ChartOptions
from handlers.render.plots.look.style import Style
from handlers.words.language import say

DASH = "7,4"


def draw_trends(draw: Draw) -> Draw:
    """The drawing with the trends of its options."""

    def draw_both(style: Style, frame: Frame, box: float | None, options: ChartOptions) -> Chart:
        chart = draw(style, frame, box, options)
        scales = chart.scales
        if not options.trends or scales is None or scales.at is None:
            return chart
        tones, canvas = _tones(style, frame, options.trends), Canvas()
        for one, tone in zip(options.trends, tones, strict=True):
            start, end = (
                (scales.left + scales.at(place), scales.top + scales.upward(value))
                for place, value in (one.start, one.end)
            )
            canvas.line(start, end, style.palette.paper, style.stroke + 2, opacity=0.8)
            canvas.line(start, end, tone, style.stroke * 0.8, dash=DASH)
        tone = tones[0] if len(set(tones)) == 1 else style.palette.quiet
        key = (*chart.key, KeyEntry("dash", tone, say("trend" if len(tones) == 1 else "trends")))
        return replace(chart.in_frame(over=canvas.svg()), key=key)

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
