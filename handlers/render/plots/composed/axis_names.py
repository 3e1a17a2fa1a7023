"""Names of axes on a chart: that of the values above its left end, that along it below its right end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from handlers.render.plots.charts.chart import Chart, Panel, layer
from handlers.render.plots.charts.sheet import text_line
from handlers.render.plots.data.frame import Frame
from handlers.render.plots.look.options import ChartOptions
from handlers.render.plots.look.style import Style
from handlers.render.plots.look.type_metrics import cut
from handlers.render.plots.vocabulary import VALUES_ACROSS, WITH_AXES

Draw = Callable[[Style, Frame, float | None, ChartOptions], Chart]


def draw_named(draw: Draw, word: str) -> Draw:
    """The drawing of a type with the names that its axes are given, if it has axes."""

    def draw_both(style: Style, frame: Frame, box: float | None, options: ChartOptions) -> Chart:
        lines = bool(options.along.name) + bool(options.values.name)
        if not lines or word not in WITH_AXES:
            return draw(style, frame, box, options)
        chart, room = draw(style, frame, box, options), style.line + 2.0
        if chart.scales is not None and chart.scales.named:  # which has them already
            return chart
        if box is not None:
            chart = draw(style, frame, max(24.0, box - lines * room), options)
        if chart.scales is None:
            names = options.values.name, options.along.name
            return _between_names(style, chart, names[::-1] if word in VALUES_ACROSS else names, room)
        return _with_names(style, chart, options, room)

    return draw_both


def _between_names(style: Style, chart: Chart, names: tuple[str, str], room: float) -> Chart:
    """A chart of elements below the name of its upright axis, and above the name of the other."""
    (upper, lower), color = names, style.palette.quiet
    parts, y = list[Panel](), 0.0
    if upper:
        text = cut(f"↑ {upper}", style.label, style.inner)
        parts.append(Panel(0, 0, Chart(room, svg=text_line(0, style.label, text, style.label, color))))
        y += room
    parts.append(Panel(0, y, chart))
    y += chart.height
    if lower:
        text = cut(f"{lower} →", style.label, style.inner)
        line = text_line(style.inner, style.label + 1, text, style.label, color, anchor="end")
        parts.append(Panel(0, y, Chart(room, svg=line)))
        y += room
    wants = None if chart.wants is None else chart.wants + y - chart.height
    marks = float(chart.spec["height"]) if chart.spec is not None else chart.marks or chart.height
    return replace(chart, height=y, spec=None, svg="", panels=tuple(parts), wants=wants, marks=marks)


def _with_names(style: Style, chart: Chart, options: ChartOptions, room: float) -> Chart:
    scales, spec = chart.scales, chart.spec
    if scales is None or spec is None:
        return chart
    upper, lower = options.values.name, options.along.name
    padding, made = dict(spec["padding"]), list(spec["layer"])
    if scales.lying:  # the values run to the right, above their bars
        upper, lower = lower, upper
    top, bottom, left = padding["top"], padding["bottom"], padding["left"]
    look = {"fill": style.palette.quiet, "baseline": "middle"}
    if upper:
        padding["top"] = top + room
        text = cut(f"↑ {upper}" if not scales.lying else upper, style.label, style.inner)
        made.append(_text(text, -left, -top - room / 2, {**look, "align": "left"}))
    if lower:
        padding["bottom"] = bottom + room
        text = cut(f"{lower} →", style.label, style.inner)
        made.append(_text(text, scales.width, scales.height + bottom + room / 2, {**look, "align": "right"}))
    height = chart.height + room * (bool(upper) + bool(lower))
    return replace(chart, spec={**spec, "padding": padding, "layer": made}, height=height)


def _text(text: str, x: float, y: float, look: dict[str, object]) -> dict[str, object]:
    return layer("text", {"x": {"value": x}, "y": {"value": y}, "text": {"value": text}}, [{}], look)
