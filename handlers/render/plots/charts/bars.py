"""Upright bars: one series with its values on the bars, several side by side or stacked."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from handlers.render.plots.charts.chart import (
    Chart,
    Padding,
    Spec,
    in_row_colors,
    key_of,
    layer,
    left_axis,
    own_color,
    quantity,
    row_color,
    series_color,
    specification,
    zero_line,
)  # fmt: skip
from handlers.render.plots.charts.horizontal_bars import draw_horizontal_bars
from handlers.render.plots.charts.names.bar_names import Names, blank_names, name_axis, place_names
from handlers.render.plots.charts.names.part_values import part_values
from handlers.render.plots.charts.names.stack_names import names_layer, names_lost, room_of, stack_names
from handlers.render.plots.charts.scales import Scales, rows_across
from handlers.render.plots.charts.value_axis import ticks_over, value_axis
from handlers.render.plots.data.frame import Frame
from handlers.render.plots.data.series import BarKind, rows_of, totals
from handlers.render.plots.drawn.tips import add_tips, with_tips
from handlers.render.plots.look.options import AxisOptions, ChartOptions
from handlers.render.plots.look.style import Style

INNER = {BarKind.GROUPED: 0.26, BarKind.STACKED: 0.28}
LOW_BOX = 100.0
"""Pixels of height in which turned names would leave bars no room."""
BARS_SHARE = 0.5
"""The share of a box's height that its names leave to bars."""
LEAST_PLOT = 16.0
"""Pixels of height of the lowest bars."""
WIDEST_BAR = 7.0
"""Width of a bar, in heights of its label, above which it gets more air instead."""


def draw_bars(
    style: Style, frame: Frame, box: float | None, kind: BarKind, options: ChartOptions, *, reverse: bool
) -> Chart:
    """Bars over the categories; they lie down where their names find no room."""
    names = [column.name for column in frame.series]
    width = style.inner
    step = width / max(1, frame.height)
    roomy = box is None or box >= (style.label + 2) * frame.height or box < LOW_BOX
    lie = not options.lines and roomy
    room = _room_of_names(style, frame, box)
    labels = place_names(style, frame, step, room, lie=lie) if options.along.labels else blank_names(frame)
    if labels is None:
        chart = draw_horizontal_bars(style, frame, box, kind, options, reverse=reverse)
        return replace(chart, notes=(*chart.notes, "Shown lying, for want of room."))
    height = box or style.height()
    if len(names) == 1:
        return _single(style, frame, labels, (width, height), options, reverse=reverse)
    return _several(style, frame, labels, (width, height), kind, options, reverse=reverse, room=room)


def _room_of_names(style: Style, frame: Frame, box: float | None) -> float:
    """Pixels of height that names below bars take at most in a box, so that bars have half of it."""
    if box is None:
        return math.inf
    single = frame.series[0].numbers if len(frame.series) == 1 else ()
    below = style.line + 2 if any(value is not None and value < 0 for value in single) else 0
    return box * (1 - BARS_SHARE) - style.label - 8 - below


def _single(
    style: Style,
    frame: Frame,
    labels: Names,
    size: tuple[float, float],
    options: ChartOptions,
    *,
    reverse: bool,
) -> Chart:
    """One series: the value on each bar where they all fit, an axis otherwise."""
    width, height = size
    series = frame.series[0].numbers
    written = options.writer(series)
    texts = [written(value) for value in series]
    step = width / max(1, frame.height)
    wishes = options.values
    asked = bool(wishes.at or wishes.count or wishes.log) or not wishes.labels
    on_bars = not asked and style.widest(texts, 600) <= step * 0.92
    axis = value_axis(series, ticks_over(height), "" if on_bars else options.unit, wishes=wishes)
    left = 0.0 if on_bars else math.ceil(style.widest(axis.labels)) + 10
    flat = all(not value for value in series)
    above = style.line + 4 if on_bars else style.label + 8
    down = any(value is not None and (value > 0 if reverse else value < 0) for value in series)
    hanging = style.line + 2 if on_bars and down else 0
    below = labels.height + hanging
    plot = max(LEAST_PLOT, (height if not flat else height * 0.5) - above - below)
    domain = _tight(series, wishes) if on_bars and not flat else axis.domain
    x = name_axis(frame, labels, _air(style, INNER[BarKind.GROUPED], step), hanging)
    y = _vertical(domain, None if on_bars else left_axis(style, axis, left, plot), reverse=reverse)
    rows = in_row_colors(style, frame, with_tips(rows_of(frame), frame, options))
    layers = [
        add_tips(layer("bar", {"x": x, "y": y, **row_color(style)}), rows),
        zero_line(style, y, -left, width - left),
    ]
    if on_bars:
        layers += _bar_values(style, frame, texts, x, y, reverse=reverse)
    notes = ("All values are 0.",) if flat and any(value == 0 for value in series) else ()
    spec = specification(style, (width - left, plot), Padding(left, 0, above, below), layers, rows)
    scales = _scales(frame, (width - left, plot), domain, reverse=reverse)
    return Chart(plot + above + below, spec, notes=notes, told=labels.told, scales=scales)


def _air(style: Style, usual: float, step: float) -> float:
    """The share of a step that is left between bars: more where few bars would be as wide as walls."""
    return max(usual, 1 - style.label * WIDEST_BAR / step)


def _tight(values: Sequence[float | None], wishes: AxisOptions) -> tuple[float, float]:
    present = [value for value in (*values, *wishes.reach) if value is not None]
    low, high = min([0.0, *present, wishes.low or 0.0]), max([0.0, *present, wishes.high or 0.0])
    return low, high if high > low else low + 1


def _vertical(domain: Sequence[float], drawn: Spec | None, *, reverse: bool) -> Spec:
    y = quantity("value", domain, drawn, stack=None)
    y["scale"] = {**y["scale"], "reverse": reverse}
    return y


def _bar_values(
    style: Style, frame: Frame, texts: Sequence[str], x: Spec, y: Spec, *, reverse: bool
) -> list[Spec]:
    """The values beyond the ends of the bars; a gap is said."""
    values = frame.series[0].numbers
    layers = []
    for upward in (True, False):
        rows = [
            {"row": str(row), "value": value or 0, "text": text if value is not None else "n/a",
             "color": style.palette.ink if value is not None else style.palette.quiet}
            for row, (value, text) in enumerate(zip(values, texts, strict=True))
            if ((value or 0) >= 0) == upward
        ]  # fmt: skip
        over = upward != reverse
        encoding = {"x": x, "y": y, "text": {"field": "text"}, "fill": own_color()}
        layers.append(
            layer(
                "text",
                encoding,
                rows,
                {"fontWeight": 600, "baseline": "bottom" if over else "top", "dy": -4 if over else 4},
            )
        )
    return layers


def _several(
    style: Style,
    frame: Frame,
    labels: Names,
    size: tuple[float, float],
    kind: BarKind,
    options: ChartOptions,
    *,
    reverse: bool,
    room: float,
) -> Chart:
    """Several series side by side or stacked; the last stack names its parts where they find room."""
    width, height = size
    names, stacked = [column.name for column in frame.series], kind is not BarKind.GROUPED
    spread = totals(frame) if stacked else [value for column in frame.series for value in column.numbers]
    axis = value_axis(spread, ticks_over(height), options.unit, wishes=options.values)
    left, above = math.ceil(style.widest(axis.labels)) + 10, style.label + 8
    plot = max(LEAST_PLOT, height - above - labels.height)
    shown = stack_names(style, frame, axis, plot, options) if stacked and not reverse else ()
    right = room_of(style, shown)
    step = (width - left - right) / max(1, frame.height)
    if options.along.labels:
        labels = place_names(style, frame, step, room, lie=False) or labels
        plot = max(LEAST_PLOT, height - above - labels.height)
        shown = stack_names(style, frame, axis, plot, options) if shown else ()
    inner = _air(style, INNER[kind], step / (len(names) if kind is BarKind.GROUPED else 1))
    y = _vertical(axis.domain, left_axis(style, axis, left, plot), reverse=reverse)
    x, box = name_axis(frame, labels, inner), (width - left - right, plot)
    encoding = {"x": x, "y": {**y, "stack": "zero" if stacked else None}, "color": series_color(style, names)}
    rows = with_tips(rows_of(frame, outward=stacked and style.of_answers), frame, options)
    bars = add_tips(_bars(style, encoding, names, stacked=stacked), rows)
    layers = [bars, zero_line(style, y, -left, box[0])]
    if options.shares and options.values.labels:
        layers.append(_share_texts(style, frame, options, (step * (1 - inner), plot), x, y))
    if shown:
        layers += names_layer(style, shown, style.tones(names), box[0] - step * inner / 2 + 6)
    spec = specification(style, box, Padding(left, right, above, labels.height), layers, rows)
    scales = _scales(frame, box, axis.domain, reverse=reverse)
    height, told = plot + above + labels.height, (*names_lost(frame, shown), *labels.told)
    return Chart(height, spec, key=() if shown else key_of(style, names), told=told, scales=scales)


def _scales(frame: Frame, box: tuple[float, float], domain: tuple[float, float], *, reverse: bool) -> Scales:
    """The places of rows and values in a box."""
    width, height = box
    (low, high), across = domain, rows_across(frame, width)

    def upward(value: float) -> float:
        share = (value - low) / (high - low)
        return height * (share if reverse else 1 - share)

    return Scales(width, height, upward, across)


def _share_texts(
    style: Style, frame: Frame, options: ChartOptions, size: tuple[float, float], x: Spec, y: Spec
) -> Spec:
    """The shares in the middle of their parts, in bars of that width and height."""
    texts = list(part_values(style, frame, options, size[1], size[0], lying=False))
    places = {"x": x, "y": {**y, "field": "middle"}, "text": {"field": "text"}, "fill": own_color()}
    return layer("text", places, texts, {"baseline": "middle"})


def _bars(style: Style, encoding: Spec, names: Sequence[str], *, stacked: bool) -> Spec:
    """Bars with edges between the parts of a stack, or side by side."""
    ordered = {**encoding, "order": {"field": "order"}}
    if stacked:
        edge = {"cornerRadiusEnd": 0, "stroke": style.palette.paper, "strokeWidth": 1}
        return layer("bar", ordered, look=edge)
    scale = {"domain": list(range(len(names))), "paddingInner": 0.06}
    offset = {"field": "order", "type": "nominal", "sort": None, "scale": scale}
    return layer("bar", {**ordered, "xOffset": offset})
