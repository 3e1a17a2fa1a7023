"""Names of axes on a chart: that of the values above its left end, that along it below its right end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from handlers.render.plots.charts.chart import Chart, layer
from handlers.render.plots.data.frame import Frame
from handlers.render.plots.look.options import ChartOptions
from handlers.render.plots.look.style import Style
from handlers.render.plots.look.type_metrics import cut

NO_PLACE = "config/axis/names: this chart has no place for names of axes"
Draw = Callable[[Style, Frame, float | None, ChartOptions], Chart]


def draw_named(draw: Draw) -> Draw:
    """The drawing with the names that its axes are given."""

    def draw_both(style: Style, frame: Frame, box: float | None, options: ChartOptions) -> Chart:
        lines = bool(options.along.name) + bool(options.values.name)
        if not lines:
            return draw(style, frame, box, options)
        chart, room = draw(style, frame, box, options), style.line + 2.0
        if box is not None and chart.scales is not None and not chart.scales.named:
            chart = draw(style, frame, max(24.0, box - lines * room), options)
        return _with_names(style, chart, options, room)

    return draw_both


def _with_names(style: Style, chart: Chart, options: ChartOptions, room: float) -> Chart:
    scales, spec = chart.scales, chart.spec
    if scales is None or spec is None:
        return replace(chart, told=(*chart.told, NO_PLACE))
    if scales.named:
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
