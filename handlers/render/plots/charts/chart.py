"""Chart: a plot as a Vega-Lite specification measured beforehand, and the parts that charts are made of."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from handlers.render.plots.charts.scales import Scales
from handlers.render.plots.charts.value_axis import ValueAxis
from handlers.render.plots.data.frame import Frame
from handlers.render.plots.drawn.left_out import quote_names
from handlers.render.plots.look.style import Style
from handlers.render.plots.look.type_metrics import STACK

Spec = dict[str, Any]
SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
PIXELS: Spec = {"type": "quantitative", "scale": None, "axis": None}
"""A channel whose field holds pixels: drawn where the caller measured it, without scale or axis."""
AIR = 8
WORD = re.compile(r'(?<![\\\w])"([A-Za-z_])(\w+)"(?!:)')


@dataclass(frozen=True, slots=True)
class KeyEntry:
    """An entry of a key: its sign (square, line, dot, bar, ring, hatch or ramp), colour and text.

    A ramp has colours (`stops`) from the value `start`, if it is named, to that of its text.
    """

    sign: str
    color: str
    text: str
    radius: float = 0.0
    start: str = ""
    stops: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Padding:
    """Pixels around the box in which marks are drawn."""

    left: float = 0.0
    right: float = 0.0
    top: float = 0.0
    bottom: float = 0.0


@dataclass(frozen=True, slots=True)
class Chart:
    """A plot without title and caption, with its key and sentences about what was left out.

    `spec` is its Vega-Lite specification; None where `svg` holds ready elements or `panels` have their own.
    Heights are pixels; `wants` is the one at which its rows are read with ease, None of a plot without rows.
    `marks` is the height of the box of its marks, where no specification tells it.
    `notes` stand below the picture, too, `told` in the log alone. `scales` are those of its specification,
    for what is set on it.
    """

    height: float
    spec: Spec | None = None
    svg: str = ""
    key: tuple[KeyEntry, ...] = ()
    key_title: str = ""
    notes: tuple[str, ...] = field(default=())
    told: tuple[str, ...] = ()
    panels: tuple[Panel, ...] = ()
    scales: Scales | None = None
    wants: float | None = None
    marks: float | None = None

    @property
    def area(self) -> float:
        """The height in which its marks stand."""
        tall = self.marks if self.spec is None else self.spec["height"]
        return self.height if tall is None else float(tall)


@dataclass(frozen=True, slots=True)
class Panel:
    """A chart of several in one, and its place in pixels."""

    x: float
    y: float
    chart: Chart


def label_table(labels: Mapping[float, str | Sequence[str]]) -> str:
    """An expression that gives ticks the labels that were made here, whatever locale or time zone draws."""
    written = {_key(value): label for value, label in labels.items()}
    return f"({literal(written)})['' + datum.value]"


def literal(labels: Mapping[str, str | Sequence[str]]) -> str:
    """Labels as an object of an expression.

    A word is written in two parts, as Vega takes a text such as `if` or `constructor` for one of its own.
    """
    return WORD.sub(r'("\1"+"\2")', json.dumps(labels))


def left_axis(style: Style, axis: ValueAxis, left: float, height: float) -> Spec:
    """A value axis whose labels stand on its grid lines, which reach out below them.

    Where two would touch, in a plot of that height, the lower one goes; the highest stays.
    """
    labels, free = dict[float, str](), math.inf
    for tick, label in reversed(list(zip(axis.ticks, axis.labels, strict=True))):
        place = axis.position(tick, height)
        labels[tick] = label if free - place >= style.label else ""
        free = place if labels[tick] else free
    return {
        "values": list(axis.ticks),
        "labelExpr": label_table(labels),
        "grid": axis.grid,
        "ticks": axis.grid,
        "tickSize": left,
        "tickColor": style.palette.grid,
        "tickWidth": 1,
        "labelAlign": "left",
        "labelBaseline": "bottom",
        "labelOffset": -3,
        "labelPadding": 0,
        "title": None,
    }


def spread_labels(style: Style, axis: ValueAxis, width: float) -> ValueAxis:
    """The axis along a width, without labels that would touch the one before."""
    free, labels = -math.inf, list[str]()
    for tick, label in zip(axis.ticks, axis.labels, strict=True):
        half, place = style.text(label) / 2, axis.position(tick, width)
        labels.append(label if place - half >= free else "")
        free = place + half + style.label * 0.4 if labels[-1] else free
    return replace(axis, labels=tuple(labels))


def top_axis(axis: ValueAxis) -> Spec:
    """A value axis above horizontal marks."""
    labels = label_table(dict(zip(axis.ticks, axis.labels, strict=True)))
    return {
        "values": list(axis.ticks),
        "labelExpr": labels,
        "grid": axis.grid,
        "orient": "top",
        "title": None,
        "labelPadding": 4,
    }


def quantity(field_name: str, domain: Sequence[float], axis: Spec | None, **extra: Any) -> Spec:
    """A channel of numbers over a fixed domain."""
    scale = {"domain": list(domain), "nice": False, "zero": False}
    return {"field": field_name, "type": "quantitative", "scale": scale, "axis": axis, "title": None, **extra}


def measure(field_name: str, axis: ValueAxis, drawn: Spec | None, **extra: Any) -> Spec:
    """A channel of numbers along an axis."""
    channel = quantity(field_name, axis.domain, drawn, **extra)
    return {**channel, "scale": {**channel["scale"], "type": "log"}} if axis.log else channel


def pixels(field_name: str) -> Spec:
    """A channel of a field that holds pixels."""
    return {"field": field_name, **PIXELS}


def own_color(field_name: str = "color") -> Spec:
    """A channel of a field that holds colours."""
    return {"field": field_name, "type": "nominal", "scale": None, "legend": None}


def series_color(style: Style, names: Sequence[str]) -> Spec:
    """The channel that colours marks by their series."""
    scale = {"domain": list(names), "range": list(style.tones(names))}
    return {"field": "series", "type": "nominal", "scale": scale, "legend": None}


def in_row_colors(style: Style, frame: Frame, rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows of marks with the colours that the names of their rows have, if any have some."""
    tones = style.row_tones(frame.categories)
    return [{**row, "color": tones[int(row["row"])]} for row in rows] if tones else list(rows)


def row_color(style: Style) -> Spec:
    """The channel of the colours of rows, where names have some."""
    return {"color": own_color()} if style.named else {}


def layer(
    mark: str, encoding: Spec, values: Sequence[Any] | None = None, look: Mapping[str, Any] | None = None
) -> Spec:
    """One layer of marks, over values of its own where they are given."""
    data = {} if values is None else {"data": {"values": list(values)}}
    return {**data, "mark": {"type": mark, **(look or {})}, "encoding": encoding}


def zero_line(style: Style, channel: Spec, start: float, end: float) -> Spec:
    """The line at zero, across the plot, darker than the grid."""
    encoding = {"y": {**channel, "field": "zero"}, "x": {"value": start}, "x2": {"value": end}}
    return layer("rule", encoding, [{"zero": 0}], {"color": style.palette.zero, "strokeWidth": 1.2})


def specification(
    style: Style,
    size: tuple[float, float],
    padding: Padding,
    layers: Sequence[Spec],
    values: Sequence[Any] = (),
) -> Spec:
    """The whole specification of layers that share scales, in a box of that width and height."""
    width, height = size
    around = {"left": padding.left, "right": padding.right, "top": padding.top, "bottom": padding.bottom}
    return {
        "$schema": SCHEMA,
        "width": max(1.0, width),
        "height": max(1.0, height),
        "padding": around,
        "autosize": {"type": "none"},
        "config": config(style),
        "data": {"values": list(values)},
        "layer": [one for one in layers if one],
    }


def config(style: Style) -> Spec:
    """The look of marks, axes and text."""
    palette = style.palette
    gaps = "break-paths-show-domains"
    return {
        "background": None,
        "font": STACK,
        "padding": 0,
        "autosize": {"type": "none"},
        "aria": False,
        "view": {"stroke": None},
        "axis": {
            "labelFont": STACK, "labelFontSize": style.label, "labelColor": palette.quiet, "labelLimit": 0,
            "labelOverlap": False, "labelLineHeight": style.line, "titleFont": STACK,
            "titleFontSize": style.label, "titleFontWeight": 400, "titleColor": palette.ink,
            "gridColor": palette.grid, "gridWidth": 1, "domain": False, "ticks": False,
            "tickColor": palette.edge, "domainColor": palette.zero, "labelPadding": 6,
        },
        "line": {"strokeWidth": style.stroke, "strokeJoin": "round", "strokeCap": "round", "invalid": gaps},
        "area": {"invalid": gaps, "line": False},
        "bar": {"color": style.category(0), "cornerRadiusEnd": 1.5},
        "rect": {"color": style.category(0)},
        "point": {"filled": True, "color": style.category(0)},
        "rule": {"color": palette.quiet},
        "arc": {"stroke": palette.paper, "strokeWidth": 2},
        "text": {"font": STACK, "fontSize": style.label, "fill": palette.ink, "baseline": "middle"},
    }  # fmt: skip


def spread_apart(positions: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Positions moved as little as needed to keep a gap and stay between low and high, in the given order."""
    order = sorted(range(len(positions)), key=positions.__getitem__)
    groups: list[list[float]] = []  # each: sum of wanted starts, number of labels
    for index, label in enumerate(order):
        groups.append([positions[label] - index * gap, 1.0])
        while len(groups) > 1 and groups[-2][0] / groups[-2][1] >= groups[-1][0] / groups[-1][1]:
            total, count = groups.pop()
            groups[-1][0] += total
            groups[-1][1] += count
    placed: list[float] = []
    for total, count in groups:
        placed += [total / count] * int(count)
    ceiling = high - (len(order) - 1) * gap
    moved = [min(max(start, low), max(low, ceiling)) + index * gap for index, start in enumerate(placed)]
    result = [0.0] * len(positions)
    for index, label in enumerate(order):
        result[label] = moved[index]
    return result


def key_of(style: Style, names: Sequence[str], sign: str = "square") -> tuple[KeyEntry, ...]:
    """The key of several series; one series needs none."""
    if len(names) < 2:
        return ()
    pairs = list(zip(style.tones(names), names, strict=True))
    rest = [tone for tone, _ in pairs if style.is_rest(tone)]
    shown = [pair for pair in pairs if len(rest) < 2 or not style.is_rest(pair[0])]
    entries = [KeyEntry(sign, tone, name) for tone, name in shown]
    return (*entries, *([KeyEntry(sign, rest[0], f"{len(rest)} others")] if len(rest) > 1 else []))


def others_told(style: Style, names: Sequence[str]) -> tuple[str, ...]:
    """A sentence about the series that share one grey and one entry of the key."""
    others = [name for name, tone in zip(names, style.tones(names), strict=True) if style.is_rest(tone)]
    return (f"In grey, as {len(others)} others: {quote_names(others)}.",) if len(others) > 1 else ()


def _key(value: float) -> str:
    """A number as JavaScript writes it."""
    whole = value == math.floor(value) and abs(value) < 1e21
    return str(int(value)) if whole else repr(float(value)).replace("e-0", "e-")
