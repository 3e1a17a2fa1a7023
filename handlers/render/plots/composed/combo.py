"""Lines over bars: on an axis of their own at the right, or in a panel above, over the same rows."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from handlers.render.plots.charts.chart import Chart, KeyEntry, Spec, layer, own_color, pixels
from handlers.render.plots.charts.value_axis import ValueAxis, ticks_over, value_axis
from handlers.render.plots.data.frame import Column, Frame
from handlers.render.plots.look.options import ChartOptions, KeyPosition
from handlers.render.plots.look.style import Style

Draw = Callable[[Style, Frame, float | None, ChartOptions], Chart]
PANEL = 0.3
"""Height of a panel of lines, as a share of the whole."""
LEAST_PANEL = 48.0
MOST_DOTS = 40
NEARER = -3.0
"""Pixels from a grid line up to the label that stands on it."""


@dataclass(frozen=True, slots=True)
class LineField:
    """The field of the lines in pixels: its width, its height, how far it begins above the bars, its axis."""

    width: float
    height: float
    above: float
    axis: ValueAxis

    def y(self, value: float) -> float:
        """Pixels from the top of the bars' field."""
        return self.height - self.above - self.axis.position(value, self.height)


TINY = 1e-9
"""A share of the height that is none: all bars are on one side of zero."""


def draw_combined(draw: Draw) -> Draw:
    """The drawing of bars with the lines of its options."""

    def draw_both(style: Style, frame: Frame, box: float | None, options: ChartOptions) -> Chart:
        if not options.lines:
            return draw(style, frame, box, options)
        chart = _on_axis(draw, style, frame, box, options) if options.lines_on_axis else None
        told: tuple[str, ...] = ()
        if chart is None and options.lines_on_axis:
            told = ("config/combo/place: no zero of both axes could stand on one line: a panel is drawn",)
        return replace(made := chart or _in_panel(draw, style, frame, box, options), told=(*made.told, *told))

    return draw_both


def _unit(lines: Sequence[Column]) -> str:
    units = {column.unit for column in lines}
    return units.pop() if len(units) == 1 else ""


def _values(lines: Sequence[Column]) -> list[float | None]:
    return [value for column in lines for value in column.numbers]


def _on_axis(
    draw: Draw, style: Style, frame: Frame, box: float | None, options: ChartOptions
) -> Chart | None:
    """The lines over the bars, with labels at the right; None where the axes cannot have one zero."""
    count = ticks_over((box or style.height()) - 50)
    axis = value_axis(_values(options.lines), count, _unit(options.lines))
    room = math.ceil(style.widest(axis.labels)) + 10
    key = KeyPosition.TOP if options.key.beside else options.key
    chart = draw(replace(style, width=style.width - room), frame, box, replace(options, key=key))
    scales, spec = chart.scales, chart.spec
    if scales is None or spec is None:
        return None
    above = scales.upward(0.0) / scales.height
    share, (low, high) = 1 - above, axis.domain
    if (share < TINY and low < 0) or (above < TINY and high > 0):
        return None
    span = max(high / above if above >= TINY else 0.0, -low / share if share >= TINY else 0.0)
    axis = replace(axis, domain=(-share * span, (1 - share) * span))
    field = LineField(scales.width, scales.height, 0.0, axis)
    tones = _tones(style, frame, options)
    labels = [
        {"x": scales.width + room, "y": field.y(tick), "text": label}
        for tick, label in zip(axis.ticks, axis.labels, strict=True)
    ]
    look = {"align": "right", "baseline": "bottom", "dy": NEARER, "fill": style.palette.readable(tones[0])}
    made = [layer("text", _text(), labels, look), *_lines(style, field, frame, options, tones)]
    padding = {**spec["padding"], "right": spec["padding"]["right"] + room}
    spec = {**spec, "padding": padding, "layer": [*spec["layer"], *made]}
    return replace(chart, spec=spec, key=_key(style, chart, frame, options, tones))


def _in_panel(draw: Draw, style: Style, frame: Frame, box: float | None, options: ChartOptions) -> Chart:
    """The lines in a panel above the bars."""
    tall = max(LEAST_PANEL, (box or style.height()) * PANEL)
    top = style.label + 8.0
    axis = value_axis(_values(options.lines), ticks_over(tall), _unit(options.lines))
    room = math.ceil(style.widest(axis.labels)) + 10
    rest = None if box is None else max(24.0, box - tall)
    chart = draw(style, frame, rest, options)
    more = max(0, room - int(chart.spec["padding"]["left"])) if chart.spec is not None else 0
    if more:
        chart = draw(replace(style, width=style.width - more), frame, rest, options)
    scales, spec = chart.scales, chart.spec
    if scales is None or spec is None:
        return chart
    left, above = spec["padding"]["left"] + more, spec["padding"]["top"]
    field = LineField(scales.width, tall - top, above + tall - top, axis)
    tones = _tones(style, frame, options)
    made = [*_grid(style, field, left), *_lines(style, field, frame, options, tones)]
    padding = {**spec["padding"], "left": left, "top": above + tall}
    spec = {**spec, "padding": padding, "layer": [*spec["layer"], *made]}
    key = _key(style, chart, frame, options, tones)
    return replace(chart, spec=spec, key=key, height=chart.height + tall)


def _tones(style: Style, frame: Frame, options: ChartOptions) -> tuple[str, ...]:
    """The colours of the lines, which follow those of the bars."""
    first = len(frame.series)
    usual = [style.category(first + index) for index in range(len(options.lines))]
    return style.named.of([column.name for column in options.lines], usual)


def _key(
    style: Style, chart: Chart, frame: Frame, options: ChartOptions, tones: Sequence[str]
) -> tuple[KeyEntry, ...]:
    """The bars, where their names do not stand beside them, and the lines."""
    single = len(frame.series) == 1
    bars = (KeyEntry("square", style.category(0), frame.series[0].name),) if single else chart.key
    lines = (KeyEntry("line", tone, column.name) for column, tone in zip(options.lines, tones, strict=True))
    return (*bars, *lines)


def _text() -> Spec:
    return {"x": pixels("x"), "y": pixels("y"), "text": {"field": "text"}}


def _grid(style: Style, field: LineField, left: float) -> list[Spec]:
    """The ticks of a panel, with labels that stand on their lines."""
    ticks = [
        {"x": -left, "x2": field.width, "y": field.y(tick), "text": label}
        for tick, label in zip(field.axis.ticks, field.axis.labels, strict=True)
    ]
    lines = {"x": pixels("x"), "x2": {"field": "x2"}, "y": pixels("y")}
    look = {"align": "left", "baseline": "bottom", "dy": NEARER, "fill": style.palette.quiet}
    return [
        layer("rule", lines, ticks, {"color": style.palette.grid, "strokeWidth": 1}),
        layer("text", _text(), ticks, look),
    ]


def _lines(
    style: Style, field: LineField, frame: Frame, options: ChartOptions, tones: Sequence[str]
) -> list[Spec]:
    """The lines from row to row, broken at gaps, with a dot on each of a few rows."""
    step, spots = field.width / max(1, frame.height), list[dict[str, Any]]()
    for order, (column, tone) in enumerate(zip(options.lines, tones, strict=True)):
        stretch = 0
        for row, value in enumerate(column.numbers):
            if value is None:
                stretch += 1
                continue
            x, path = (row + 0.5) * step, f"{order}-{stretch}"
            spots.append({"x": x, "y": field.y(value), "color": tone, "path": path})
    places = {"x": pixels("x"), "y": pixels("y")}
    line = {**places, "color": own_color(), "detail": {"field": "path"}, "order": {"field": "x"}}
    dots = frame.height <= MOST_DOTS
    look = {"size": style.stroke * 14, "opacity": 1}
    halo = {**line, "color": {"value": style.palette.paper}}
    return [
        layer("line", halo, spots, {"strokeWidth": style.stroke + 2.5}),
        layer("line", line, spots, {"strokeWidth": style.stroke}),
        *([layer("point", {**places, "color": own_color()}, spots, look)] if dots else []),
    ]
