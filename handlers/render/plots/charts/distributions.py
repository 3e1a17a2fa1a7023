"""Distributions as boxes: the middle half of each set, its median, whiskers, and what lies outside."""

from __future__ import annotations

import math
from collections.abc import Sequence

from handlers.render.plots.charts.bar_rows import Rows
from handlers.render.plots.charts.chart import Chart, KeyEntry, spread_labels
from handlers.render.plots.charts.marks.canvas import Canvas, Place
from handlers.render.plots.charts.marks.row_box import RowBox, draw_axis, draw_rows
from handlers.render.plots.charts.value_axis import value_axis
from handlers.render.plots.data.frame import Frame
from handlers.render.plots.data.numbers import quantile
from handlers.render.plots.drawn.left_out import count_words
from handlers.render.plots.drawn.measured import MOST_BOXES
from handlers.render.plots.drawn.tips import tip_of
from handlers.render.plots.look.options import ChartOptions, Writer
from handlers.render.plots.look.palette import mix
from handlers.render.plots.look.style import Style
from handlers.render.plots.look.type_metrics import cut

WHISKER = 1.5
MOST_OUTLIERS = 2_000
OUTLIER = 1.9
"""Radius of an outlier, in pixels."""


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
    width, top = style.inner - left - right, style.line + 6.0
    lines = tuple([cut(name, style.label, style.inner if above else column + 1)] for name in names)
    bar = row * (0.28 if above else 0.4)
    rows = Rows(lines, math.ceil(column), row, bar, style.line * 0.5 if above else 0.0)
    area = RowBox(rows, left, left + width, top, len(shown), spread_labels(style, axis, width))
    canvas = Canvas()
    draw_axis(canvas, style, area)
    outside = _draw_boxes(canvas, style, shown, area, options.write)
    draw_rows(canvas, style, area, axis=False)
    more = outside - MOST_OUTLIERS
    notes = (f"{more:,} more outliers are in the data.",) if more > 0 else ()
    lost = len(groups) - len(shown)
    notes = (*notes, *((f"{count_words(lost, 'more group')} in the data.",) if lost else ()))
    wants, tall = style.line * 1.6 * len(groups) + style.line + 6, float(row * len(shown))
    return Chart(top + tall, canvas.svg(), key=_key(style), notes=notes, wants=wants, marks=tall)


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


def _draw_boxes(
    canvas: Canvas, style: Style, groups: Sequence[tuple[str, list[float]]], area: RowBox, write: Writer
) -> int:
    """Draw the boxes and what lies outside, and return the number of outliers."""
    outside, palette, color, half = list[Place](), style.palette, style.category(0), area.rows.bar / 2
    tone = mix(palette.paper, color, 0.45)
    for row, (name, values) in enumerate(groups):
        y = area.y(row)
        low, middle, high = (quantile(values, share) for share in (0.25, 0.5, 0.75))
        reach = WHISKER * (high - low)
        inside = [value for value in values if low - reach <= value <= high + reach] or [middle]
        said = f"median {write(middle)}, middle half {write(low)} to {write(high)}"
        left, right, x = area.x(low), area.x(high), area.x(middle)
        canvas.line((area.x(inside[0]), y), (area.x(inside[-1]), y), palette.quiet, 1.5)
        canvas.rect(
            left, y - half, right - left, 2 * half, tone,
            stroke=color, tip=tip_of(name, "", said), round_end="all",
        )  # fmt: skip
        canvas.line((x, y - half), (x, y + half), palette.ink, 2.5)
        outside += [(area.x(value), y) for value in values if not inside[0] <= value <= inside[-1]]
    for spot in outside[:MOST_OUTLIERS]:
        canvas.circle(*spot, OUTLIER, palette.quiet)
    return len(outside)
