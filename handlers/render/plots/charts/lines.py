"""Lines, steps and areas over a calendar or over the rows in their order."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from handlers.render.plots.charts.calendar_ticks import CalendarTick, calendar_ticks, milliseconds
from handlers.render.plots.charts.chart import (
    Chart,
    Padding,
    Spec,
    ValueAxis,
    key_of,
    label_table,
    layer,
    left_axis,
    own_color,
    pixels,
    quantity,
    series_color,
    specification,
    spread_apart,
    value_axis,
    zero_line,
)  # fmt: skip
from handlers.render.plots.data.frame import Frame
from handlers.render.plots.data.numbers import alone
from handlers.render.plots.data.series import totals
from handlers.render.plots.data.thinning import Point, thin
from handlers.render.plots.look.style import Style


class LineKind(StrEnum):
    """The marks of a series: its line, a line in steps, an area below it, or stacked areas."""

    LINE = "line"
    STEP = "step"
    AREA = "area"
    STACKED = "stacked"

    @property
    def from_zero(self) -> bool:
        """Whether the height means an amount, so that the axis begins at zero."""
        return self in (LineKind.AREA, LineKind.STACKED)


@dataclass
class PlotBox:
    """The box of the plot in the picture, in pixels, and its two axes."""

    width: float
    height: float
    left: float
    right: float
    top: float
    bottom: float
    low: float
    high: float
    axis: ValueAxis
    ticks: Sequence[CalendarTick] = field(default_factory=tuple)

    def padding(self) -> Padding:
        """The air around the plot."""
        return Padding(self.left, self.right, self.top, self.bottom)

    def y(self, value: float) -> float:
        """Pixels from the top of the plot."""
        return self.height - self.axis.position(value, self.height)


def draw_lines(style: Style, frame: Frame, box: float | None, kind: LineKind, unit: str) -> Chart:
    """The series over the axis; their names stand at their ends where they fit, else in a key."""
    frame = frame.sorted_by_date()
    names = [column.name for column in frame.series]
    series = [list(zip(_places(frame), column.numbers, strict=True)) for column in frame.series]
    area = _measure(style, frame, box, kind, unit)
    beside = _labels_beside(style, area, series, names, kind)
    if beside is not None:
        room = math.ceil(style.widest(names, 600)) + 12
        area.width, area.right = area.width + area.right - room, room
        area.ticks = _ticks(style, frame, area.low, area.high, area.width)
    thinned = (
        series
        if kind is LineKind.STACKED
        else [thin(points, int(max(200, 2 * area.width))) for points in series]
    )
    dropped = sum(map(len, series)) - sum(map(len, thinned))
    layers = _marks(style, area, thinned, names, kind)
    if beside is not None:
        layers += _ends(style, area, series, names, beside, kind)
    if frame.height == 1:
        layers.append(_only_values(area, series, unit))
    spec = specification(style, (area.width, area.height), area.padding(), layers)
    key = () if beside is not None else key_of(style, names, "square" if kind is LineKind.STACKED else "line")
    drawn = sum(map(len, thinned))
    notes = (f"{drawn + dropped:,} points drawn as {drawn:,}.",) if dropped else ()
    return Chart(area.top + area.height + area.bottom, spec, key=key, notes=notes)


def _places(frame: Frame) -> list[float]:
    moments = frame.moments
    return (
        [float(row) for row in range(frame.height)]
        if moments is None
        else [float(milliseconds(m)) for m in moments]
    )


def _measure(style: Style, frame: Frame, box: float | None, kind: LineKind, unit: str) -> PlotBox:
    """The plot's box without labels beside it."""
    height = box or style.height(0.46 if frame.height > 1 else 0.3)
    values = (
        totals(frame) if kind is LineKind.STACKED else [v for column in frame.series for v in column.numbers]
    )
    axis = value_axis(values, max(2, min(6, round((height - 50) / 62))), unit, zero=kind.from_zero)
    places = _places(frame)
    low, high = min(places), max(places)
    if low == high:
        air = 864e5 if frame.moments else 1.0
        low, high = low - air, high + air
    left = math.ceil(style.widest(axis.labels)) + 10
    ticks = _ticks(style, frame, low, high, style.inner - left)
    last = ticks[-1]
    overhang = (last.at - high) / (high - low) * (style.inner - left) + style.widest(last.lines) / 2
    right = math.ceil(max(2.0, overhang))
    bottom = max(len(tick.lines) for tick in ticks) * style.line + 12
    top = style.label + 8
    return PlotBox(
        style.inner - left - right,
        max(60.0, height - top - bottom),
        left,
        right,
        top,
        bottom,
        low,
        high,
        axis,
        ticks,
    )


def _ticks(style: Style, frame: Frame, low: float, high: float, width: float) -> list[CalendarTick]:
    moments = frame.moments
    if moments is not None:
        clock = frame.axis is not None and frame.axis.clock
        return calendar_ticks(moments[0], moments[-1], width, style.label, clock=clock)
    names = frame.categories
    every = max(1, math.ceil((min(style.widest(names), width / 3) + 14) / (width / max(1, frame.height))))
    most = max(8, int(width / 3 / style.label * 2))
    return [CalendarTick(row, (names[row][:most],)) for row in range(0, frame.height, every)]


def _labels_beside(
    style: Style, box: PlotBox, series: Sequence[Sequence[Point]], names: Sequence[str], kind: LineKind
) -> list[float] | None:
    """Places of the names at the ends of up to six series, if each comes near enough to its own."""
    ends = [_last(points) for points in series]
    room = style.inner * (0.3 if style.narrow else 0.22)
    if not 1 < len(names) <= 6 or style.widest(names, 600) + 12 > room or any(end is None for end in ends):
        return None
    values = [end[1] or 0.0 for end in ends if end]
    if kind is LineKind.STACKED:
        sums = [sum(values[:index]) + value / 2 for index, value in enumerate(values)]
        wanted = [box.y(value) for value in sums]
        slack = [
            max(abs(value) / (box.axis.domain[1] - box.axis.domain[0]) * box.height / 2, 9.0)
            for value in values
        ]
    else:
        wanted = [box.y(value) for value in values]
        slack = [2.2 * style.line] * len(values)
    placed = spread_apart(wanted, style.line, -4, box.height)
    near = all(abs(a - b) <= most for a, b, most in zip(placed, wanted, slack, strict=True))
    return placed if near else None


def _last(points: Sequence[Point]) -> Point | None:
    return next((point for point in reversed(points) if point[1] is not None), None)


def _marks(
    style: Style, box: PlotBox, series: Sequence[Sequence[Point]], names: Sequence[str], kind: LineKind
) -> list[Spec]:
    """Areas, lines, the zero line, and a dot for each value that stands alone between gaps."""
    x, y = _channels(style, box)
    rows = [
        {"at": at, "value": value, "series": name, "order": order}
        for order, (name, points) in enumerate(zip(names, series, strict=True))
        for at, value in points
    ]
    color = series_color(style, names)
    stacked = kind is LineKind.STACKED
    layers = []
    if kind.from_zero:
        edge: dict[str, Any] = {"stroke": style.palette.paper, "strokeWidth": 0.8} if stacked else {}
        encoding: Spec = {"x": x, "y": {**y, "stack": "zero" if stacked else None}, "color": color}
        if stacked:
            encoding["order"] = {"field": "order"}
        layers.append(
            layer("area", encoding, rows, {"opacity": 1, "fillOpacity": 1 if stacked else 0.22, **edge})
        )
    if not stacked:
        crowded = max((len(points) for points in series), default=0) > box.width
        form = {"interpolate": "step-after"} if kind is LineKind.STEP else {}
        width = style.stroke * (0.6 if crowded else 1)
        layers.append(layer("line", {"x": x, "y": y, "color": color}, rows, {"strokeWidth": width, **form}))
    if box.axis.domain[0] <= 0 <= box.axis.domain[1]:
        layers.append(zero_line(style, y, -box.left, box.width))
    dots = [
        {"at": at, "value": value, "series": name}
        for name, points in zip(names, series, strict=True)
        for at, value in _lone(points)
    ]
    if dots:
        layers.append(
            layer("point", {"x": x, "y": y, "color": color}, dots, {"size": style.stroke * 16, "opacity": 1})
        )
    return layers


def _channels(style: Style, box: PlotBox) -> tuple[Spec, Spec]:
    axis = {
        "values": [tick.at for tick in box.ticks],
        "labelExpr": label_table({tick.at: list(tick.lines) for tick in box.ticks}),
        "grid": False,
        "ticks": True,
        "tickSize": 5,
        "labelPadding": 4,
        "labelFlush": False,
        "title": None,
    }
    return quantity("at", (box.low, box.high), axis), quantity(
        "value", box.axis.domain, left_axis(style, box.axis, box.left)
    )


def _lone(points: Sequence[Point]) -> list[Point]:
    known = [value is not None for _, value in points]
    return [
        point
        for index, point in enumerate(points)
        if known[index]
        and not (index and known[index - 1])
        and not (index + 1 < len(points) and known[index + 1])
    ]


def _ends(
    style: Style,
    box: PlotBox,
    series: Sequence[Sequence[Point]],
    names: Sequence[str],
    positions: Sequence[float],
    kind: LineKind,
) -> list[Spec]:
    """The names beside the ends, and a dot on the end of each line."""
    tones = style.tones(names)
    rows = [
        {"y": y, "text": name, "color": style.palette.readable(tone)}
        for y, name, tone in zip(positions, names, tones, strict=True)
    ]
    encoding = {
        "x": {"value": box.width + 8},
        "y": pixels("y"),
        "text": {"field": "text"},
        "fill": own_color(),
    }
    layers = [layer("text", encoding, rows, {"align": "left", "fontWeight": 600})]
    if kind is not LineKind.STACKED:
        x, y = _channels(style, box)
        ends = [(name, end) for name, points in zip(names, series, strict=True) if (end := _last(points))]
        dots = [{"at": end[0], "value": end[1], "series": name} for name, end in ends]
        color = series_color(style, names)
        layers.append(
            layer("point", {"x": x, "y": y, "color": color}, dots, {"size": style.stroke * 14, "opacity": 1})
        )
    return layers


def _only_values(box: PlotBox, series: Sequence[Sequence[Point]], unit: str) -> Spec:
    """The values of the only row, above their dots."""
    rows = [
        {"x": box.width / 2, "y": box.y(value), "text": alone(value, unit)}
        for points in series
        for _, value in points
        if value is not None
    ]
    return layer(
        "text",
        {"x": pixels("x"), "y": pixels("y"), "text": {"field": "text"}},
        rows,
        {"dy": -14, "fontWeight": 600},
    )
