"""Distributions: a histogram of one column, and boxes of several."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from handlers.render.plots.charts.chart import (
    Chart,
    KeyEntry,
    Padding,
    Spec,
    label_table,
    layer,
    left_axis,
    measure,
    pixels,
    quantity,
    specification,
    top_axis,
    zero_line,
)  # fmt: skip
from handlers.render.plots.charts.value_axis import ValueAxis, ticks_over, value_axis
from handlers.render.plots.data.frame import Frame
from handlers.render.plots.data.numbers import alone, axis_labels, quantile, round_ticks
from handlers.render.plots.look.options import ChartOptions
from handlers.render.plots.look.palette import mix
from handlers.render.plots.look.style import Style
from handlers.render.plots.look.type_metrics import cut

TAIL = 0.995
"""Share of the values that a histogram with a far tail shows."""
WHISKER = 1.5
MOST_BOXES = 60


@dataclass(frozen=True, slots=True)
class Bins:
    """Edges of equal bins, the number of values in each, and the number beyond the last."""

    edges: tuple[float, ...]
    counts: tuple[int, ...]
    beyond: int


def draw_histogram(style: Style, frame: Frame, box: float | None, options: ChartOptions) -> Chart:
    """The counts of the first series in round bins, with its median marked."""
    series = frame.series[0]
    ordered = sorted(value for value in series.numbers if value is not None)
    bins = count_bins(ordered, max(8, min(40, round(math.sqrt(len(ordered))), round(style.inner / 18))))
    height = box or style.height()
    axis = value_axis(bins.counts, ticks_over(height - 70), wishes=options.values)
    left = math.ceil(style.widest(axis.labels)) + 10
    top, bottom = style.label + 8 + style.line, style.line * 2 + 14
    width, plot = style.inner - left - 10, max(60.0, height - top - bottom)
    x = _across(bins.edges, width, series.name, options.unit)
    y = quantity("count", axis.domain, left_axis(style, axis, left))
    rows = [
        {"from": a, "to": b, "count": n}
        for a, b, n in zip(bins.edges, bins.edges[1:], bins.counts, strict=False)
    ]
    bars = {"x": {**x, "field": "from", "bin": "binned"}, "x2": {"field": "to"}, "y": y}
    layers = [
        layer("bar", bars, look={"binSpacing": 1, "cornerRadiusEnd": 0}),
        zero_line(style, y, -left, width),
        *_median(style, ordered, bins, x, plot, options),
    ]
    spec = specification(style, (width, plot), Padding(left, 10, top, bottom), layers, rows)
    top_value = alone(ordered[-1], options.unit)
    notes = (
        (
            f"{bins.beyond:,} of {len(ordered):,} values above {alone(bins.edges[-1], options.unit)} "
            f"(up to {top_value}) are not shown.",
        )
        if bins.beyond
        else ()
    )
    return Chart(plot + top + bottom, spec, notes=notes)


def count_bins(ordered: Sequence[float], most: int) -> Bins:
    """About so many bins of round width; a far tail is left out and counted."""
    low, high = ordered[0], ordered[-1]
    usual = quantile(ordered, TAIL)
    far = len(ordered) > 50 and high - low > 1.6 * (usual - low) > 0
    edges = round_ticks(low, usual if far else high, most) if high > low else _around(low)
    width = edges[1] - edges[0]
    counts = [0] * (len(edges) - 1)
    beyond = 0
    for value in ordered:
        if value > edges[-1]:
            beyond += 1
        else:
            counts[min(max(0, int((value - edges[0]) / width)), len(counts) - 1)] += 1
    return Bins(tuple(edges), tuple(counts), beyond)


def _around(value: float) -> list[float]:
    """The edges of the only bin of equal values."""
    half = 10.0 ** math.floor(math.log10(abs(value))) / 2 if value else 0.5
    return [value - half, value + half]


def draw_boxes(style: Style, frame: Frame, box: float | None, options: ChartOptions) -> Chart:
    """For every group the middle half, the median, whiskers of 1.5 times the box, and what lies outside."""
    groups = groups_of(frame)
    shown = groups[:MOST_BOXES]
    names = [name for name, _ in shown]
    above = box is None and style.narrow and style.widest(names) > style.inner * 0.3
    row = round(style.label * 2.9) + (style.line if above else 0)
    if box is not None:
        row = max(round(style.label * 1.3), int(min(row * 1.6, (box - style.line - 6) / max(1, len(names)))))
    column = 0.0 if above else min(style.widest(names), style.inner * 0.34)
    left = math.ceil(column) + 14 if column else 0
    axis = value_axis(
        [value for _, values in shown for value in values],
        max(2, min(9, round((style.inner - left) / 95))),
        options.unit,
        zero=False,
        wishes=options.values,
    )
    right = math.ceil(style.text(axis.labels[-1]) / 2) + 2
    left = left or math.ceil(style.text(axis.labels[0]) / 2)
    size = (style.inner - left - right, float(row * len(shown)))
    layers = _boxes(style, shown, axis, row, shift=style.line * 0.5 if above else 0.0)
    labels = [
        {"y": index * row + style.line * 0.75 if above else (index + 0.5) * row,
         "text": cut(name, style.label, style.inner if above else column + 1)}
        for index, name in enumerate(names)
    ]  # fmt: skip
    place = {"x": {"value": -left if above else -14}, "y": pixels("y"), "text": {"field": "text"}}
    layers.append(layer("text", place, labels, {"align": "left" if above else "right"}))
    palette = style.palette
    key = (
        KeyEntry("square", style.category(0), "middle half"),
        KeyEntry("bar", palette.ink, "median"),
        KeyEntry("line", palette.quiet, "within 1.5 × box"),
        KeyEntry("dot", palette.quiet, "outlier"),
    )
    notes = (f"{len(groups) - len(shown)} more groups are in the data.",) if len(groups) > len(shown) else ()
    spec = specification(style, size, Padding(left, right, style.line + 6, 0), layers)
    return Chart(size[1] + style.line + 6, spec, key=key, notes=notes)


def groups_of(frame: Frame) -> list[tuple[str, list[float]]]:
    """The values of each group: rows of one name where names repeat, else the series."""
    if frame.axis is not None and len(set(frame.categories)) < frame.height and len(frame.series) == 1:
        groups: dict[str, list[float]] = {}
        for name, value in zip(frame.categories, frame.series[0].numbers, strict=True):
            if value is not None:
                groups.setdefault(name, []).append(value)
        return [(name, sorted(values)) for name, values in groups.items()]
    columns = [(column.name, sorted(v for v in column.numbers if v is not None)) for column in frame.series]
    return [(name, values) for name, values in columns if values]


def _boxes(
    style: Style,
    groups: Sequence[tuple[str, list[float]]],
    axis: ValueAxis,
    row: int,
    shift: float,
) -> list[Spec]:
    stats, outside, drawn = [], [], top_axis(axis)
    half = row * (0.14 if shift else 0.2)
    for index, (_, values) in enumerate(groups):
        y = (index + 0.5) * row + shift
        low, middle, high = (quantile(values, share) for share in (0.25, 0.5, 0.75))
        reach = WHISKER * (high - low)
        inside = [value for value in values if low - reach <= value <= high + reach] or [middle]
        stats.append({"y": y, "top": y - half, "bottom": y + half, "low": low, "middle": middle, "high": high,
                      "least": inside[0], "most": inside[-1]})  # fmt: skip
        outside += [{"y": y, "value": value} for value in values if not inside[0] <= value <= inside[-1]]

    def x(name: str) -> Spec:
        return measure(name, axis, drawn)

    palette, color = style.palette, style.category(0)
    upright = {"y": pixels("top"), "y2": {"field": "bottom"}}
    whisker = {"x": x("least"), "x2": {"field": "most"}, "y": pixels("y")}
    half_look = {
        "color": mix(palette.paper, color, 0.45),
        "stroke": color,
        "strokeWidth": 1.2,
        "cornerRadius": 1.5,
    }
    outlier = {"size": 14, "opacity": 1, "color": palette.quiet}
    return [
        layer("rule", whisker, stats, {"color": palette.quiet, "strokeWidth": 1.5}),
        layer("rect", {"x": x("low"), "x2": {"field": "high"}, **upright}, stats, half_look),
        layer('rule', {'x': x('middle'), **upright}, stats, {"color": palette.ink, "strokeWidth": 2.5}),
        layer("circle", {"x": x("value"), "y": pixels("y")}, outside[:2000], outlier),
    ]  # fmt: skip


def _across(edges: Sequence[float], width: float, name: str, unit: str) -> Spec:
    ticks = [
        tick
        for tick in round_ticks(edges[0], edges[-1], max(2, round(width / 90)))
        if edges[0] <= tick <= edges[-1]
    ]
    axis = {
        "values": ticks,
        "labelExpr": label_table(dict(zip(ticks, axis_labels(ticks, unit), strict=True))),
        "grid": False,
        "ticks": True,
        "tickSize": 5,
        "labelPadding": 4,
        "title": f"{name[:80]} →",
        "titleAnchor": "end",
        "titleAlign": "right",
        "titlePadding": 4,
    }
    return {**quantity("at", (edges[0], edges[-1]), axis), "title": f"{name[:80]} →"}


def _median(
    style: Style, ordered: Sequence[float], bins: Bins, x: Spec, height: float, options: ChartOptions
) -> list[Spec]:
    """A line at the median, with its value at the side that has room."""
    median = quantile(ordered, 0.5)
    rightward = (median - bins.edges[0]) / (bins.edges[-1] - bins.edges[0]) < 0.75
    row = [{"at": median, "text": f"Median {alone(median, options.unit)}"}]
    line = {"x": x, "y": {"value": -style.line}, "y2": {"value": height}}
    label = {"x": x, "y": {"value": -style.line + style.label * 0.5}, "text": {"field": "text"}}
    side = {"align": "left" if rightward else "right", "dx": 6 if rightward else -6}
    return [
        layer("rule", line, row, {"color": style.palette.ink, "strokeWidth": 1.5}),
        layer("text", label, row, {"fontWeight": 600, **side}),
    ]
