"""Distributions as boxes: the middle half of each set, its median, whiskers, and what lies outside."""

from __future__ import annotations

import math
from collections.abc import Sequence

from handlers.render.plots.charts.chart import (
    Chart,
    KeyEntry,
    Padding,
    Spec,
    layer,
    measure,
    pixels,
    specification,
    spread_labels,
    top_axis,
)  # fmt: skip
from handlers.render.plots.charts.value_axis import ValueAxis, value_axis
from handlers.render.plots.data.frame import Frame
from handlers.render.plots.data.numbers import quantile
from handlers.render.plots.drawn.left_out import count_words
from handlers.render.plots.drawn.measured import MOST_BOXES
from handlers.render.plots.drawn.tips import add_tips, tip_of
from handlers.render.plots.look.options import ChartOptions, Writer
from handlers.render.plots.look.palette import mix
from handlers.render.plots.look.style import Style
from handlers.render.plots.look.type_metrics import cut

WHISKER = 1.5
MOST_OUTLIERS = 2_000


def draw_boxes(style: Style, frame: Frame, box: float | None, options: ChartOptions) -> Chart:
    """For every group the middle half, the median, whiskers of 1.5 times the box, and what lies outside."""
    groups = groups_of(frame)[:MOST_BOXES]
    most = len(groups) if box is None else max(2, int((box - style.line - 6) // (style.label * 1.2)))
    shown = groups[:most]
    names = [name for name, _ in shown]
    above = box is None and style.narrow and style.widest(names) > style.inner * 0.3
    row = round(style.label * 2.9) + (style.line if above else 0)
    if box is not None:
        row = max(round(style.label * 1.2), int(min(row * 1.6, (box - style.line - 6) / max(1, len(names)))))
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
    along = spread_labels(style, axis, size[0])
    layers, outside = _boxes(
        style, shown, along, row, options.write, shift=style.line * 0.5 if above else 0.0
    )
    labels = [
        {"y": index * row + style.line * 0.75 if above else (index + 0.5) * row,
         "text": cut(name, style.label, style.inner if above else column + 1)}
        for index, name in enumerate(names)
    ]  # fmt: skip
    place = {"x": {"value": -left if above else -14}, "y": pixels("y"), "text": {"field": "text"}}
    layers.append(layer("text", place, labels, {"align": "left" if above else "right"}))
    more = outside - MOST_OUTLIERS
    notes = (f"{more:,} more outliers are in the data.",) if more > 0 else ()
    lost = len(groups) - len(shown)
    notes = (*notes, *((f"{count_words(lost, 'more group')} in the data.",) if lost else ()))
    spec = specification(style, size, Padding(left, right, style.line + 6, 0), layers)
    wants = style.line * 1.6 * len(groups) + style.line + 6
    return Chart(size[1] + style.line + 6, spec, key=_key(style), notes=notes, wants=wants)


def _key(style: Style) -> tuple[KeyEntry, ...]:
    """The key to the parts of a box."""
    palette = style.palette
    return (
        KeyEntry("square", style.category(0), "middle half"),
        KeyEntry("bar", palette.ink, "median"),
        KeyEntry("line", palette.quiet, "within 1.5 × box"),
        KeyEntry("dot", palette.quiet, "outlier"),
    )


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
    write: Writer,
    shift: float,
) -> tuple[list[Spec], int]:
    """The layers of the boxes, and the number of outliers."""
    stats, outside, drawn = [], [], top_axis(axis)
    half = row * (0.14 if shift else 0.2)
    for index, (name, values) in enumerate(groups):
        y = (index + 0.5) * row + shift
        low, middle, high = (quantile(values, share) for share in (0.25, 0.5, 0.75))
        reach = WHISKER * (high - low)
        inside = [value for value in values if low - reach <= value <= high + reach] or [middle]
        said = f"median {write(middle)}, middle half {write(low)} to {write(high)}"
        stats.append({"y": y, "top": y - half, "bottom": y + half, "low": low, "middle": middle, "high": high,
                      "least": inside[0], "most": inside[-1],
                      "tip": tip_of(name, "", said)})  # fmt: skip
        outside += [{"y": y, "value": value} for value in values if not inside[0] <= value <= inside[-1]]

    def x(name: str) -> Spec:
        return measure(name, axis, drawn)

    palette, color = style.palette, style.category(0)
    upright = {"y": pixels("top"), "y2": {"field": "bottom"}}
    whisker = {"x": x("least"), "x2": {"field": "most"}, "y": pixels("y")}
    tone = mix(palette.paper, color, 0.45)
    half_look = {"color": tone, "stroke": color, "strokeWidth": 1.2, "cornerRadius": 1.5}
    layers = [
        layer("rule", whisker, stats, {"color": palette.quiet, "strokeWidth": 1.5}),
        add_tips(layer("rect", {"x": x("low"), "x2": {"field": "high"}, **upright}, stats, half_look), stats),
        layer('rule', {'x': x('middle'), **upright}, stats, {"color": palette.ink, "strokeWidth": 2.5}),
        layer("circle", {"x": x("value"), "y": pixels("y")}, outside[:MOST_OUTLIERS],
              {"size": 14, "opacity": 1, "color": palette.quiet}),
    ]  # fmt: skip
    return layers, len(outside)
