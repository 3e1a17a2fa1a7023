"""Lying bars: long names in a column beside them, or above them on narrow pictures."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from handlers.render.plots.charts.bar_rows import (
    Rows,
    place_rows,
    rows_beside_values,
    rows_that_fit,
    rows_told,
)
from handlers.render.plots.charts.chart import (
    Chart,
    Padding,
    Spec,
    in_row_colors,
    key_of,
    layer,
    own_color,
    pixels,
    quantity,
    row_color,
    series_color,
    specification,
    spread_labels,
    top_axis,
)  # fmt: skip
from handlers.render.plots.charts.names.part_values import part_values
from handlers.render.plots.charts.scales import Scales, rows_across
from handlers.render.plots.charts.value_axis import ValueAxis, value_axis
from handlers.render.plots.data.date_words import row_names
from handlers.render.plots.data.frame import Frame
from handlers.render.plots.data.numbers import spread_of
from handlers.render.plots.data.series import BarKind, rows_of, totals
from handlers.render.plots.drawn.tips import add_tips, tip_of, with_tips
from handlers.render.plots.look.options import ChartOptions
from handlers.render.plots.look.style import Style


def draw_horizontal_bars(
    style: Style, frame: Frame, box: float | None, kind: BarKind, options: ChartOptions, *, reverse: bool
) -> Chart:
    """Lying bars, the first on top; a fixed height presses them together as far as type allows."""
    names = [column.name for column in frame.series]
    over = style.line + 4 if len(names) > 1 else 0
    room = None if box is None else box - over
    shown = rows_that_fit(style, frame, room)
    rows = place_rows(style, shown, 1 if kind is not BarKind.GROUPED else len(names), room)
    if len(names) == 1 and rows.column:
        rows = rows_beside_values(style, shown, rows, options)
    wants = frame.height * (style.line + 6.0) + over
    chart = (
        _single(style, shown, rows, options, reverse=reverse)
        if len(names) == 1
        else _several(style, shown, rows, kind, options, reverse=reverse)
    )
    return replace(chart, notes=(*chart.notes, *rows_told(frame, shown)), wants=wants)


def _single(style: Style, frame: Frame, rows: Rows, options: ChartOptions, *, reverse: bool) -> Chart:
    """One series: values beyond the ends of the bars, no axis."""
    values = frame.series[0].numbers
    wishes = options.values
    low, high = spread_of([0.0, *values, wishes.low, wishes.high, *wishes.reach])
    written = options.writer(values)
    texts = [written(value) if value is not None else "n/a" for value in values]
    texts = texts if wishes.labels else [""] * len(texts)
    room = style.widest(texts, 600) + 8
    left = math.ceil(rows.column) + 12 if rows.column else 0
    before = room if (low < 0) != reverse or (reverse and high > 0) else 0.0
    after = room if (high > 0 or low == 0) != reverse or (reverse and low < 0) else 0.0
    if reverse:
        before, after = (room if high > 0 or low == 0 else 0.0), (room if low < 0 else 0.0)
    width = max(40.0, style.inner - left - before - after)
    height = rows.row * frame.height
    x = _horizontal((low, high if high > low else low + 1), reverse=reverse)
    y = pixels("y")
    names = row_names(frame)
    marks = [
        {"row": str(row), "value": value, "y": rows.middle(row) + rows.shift,
         "tip": tip_of(names[row], "", options.write(value))}
        for row, value in enumerate(values)
        if value is not None
    ]  # fmt: skip
    marks = in_row_colors(style, frame, marks)
    places = {"x": {**x, "stack": None}, "y": y, **row_color(style)}
    layers = [
        add_tips(layer("bar", places, look={"size": rows.bar, "orient": "horizontal"}), marks),
        *(_zero(style, x, rows, frame.height) if not rows.above or low < 0 else []),
        _names(style, rows, -before),
    ]
    layers += _values_at_ends(style, rows, x, values, texts, reverse=reverse)
    padding = Padding(left + before, style.inner - left - before - width, 0, 0)
    spec = specification(style, (width, height), padding, layers, marks)
    ends = (low, high if high > low else low + 1)
    return Chart(height, spec, scales=_scales(frame, (width, height), ends, reverse=reverse))


def _values_at_ends(
    style: Style, rows: Rows, x: Spec, values: Sequence[float | None], texts: Sequence[str], *, reverse: bool
) -> Iterator[Spec]:
    """The values beyond the ends of the bars, upward and downward ones apart."""
    for upward in (True, False):
        ends = [
            {"value": value or 0, "y": rows.middle(row) + rows.shift, "text": text,
             "color": style.palette.ink if value is not None else style.palette.quiet}
            for row, (value, text) in enumerate(zip(values, texts, strict=True))
            if ((value or 0) >= 0) == upward
        ]  # fmt: skip
        right = upward != reverse
        encoding = {"x": x, "y": pixels("y"), "text": {"field": "text"}, "fill": own_color()}
        look = {"align": "left" if right else "right", "dx": 5 if right else -5, "fontWeight": 600}
        yield layer("text", encoding, ends, look)


def _several(
    style: Style, frame: Frame, rows: Rows, kind: BarKind, options: ChartOptions, *, reverse: bool
) -> Chart:
    """Several series in every row, over a value axis on top."""
    names = [column.name for column in frame.series]
    stacked = kind is not BarKind.GROUPED
    left = math.ceil(rows.column) + 12 if rows.column else 0
    spread = totals(frame) if stacked else [value for column in frame.series for value in column.numbers]
    axis = value_axis(spread, max(2, round((style.inner - left) / 110)), options.unit, wishes=options.values)
    over = math.ceil(style.widest((axis.labels[0], axis.labels[-1])) / 2)
    start = over if rows.above else 0
    width = max(40.0, style.inner - left - over - start)
    height = rows.row * frame.height
    drawn = top_axis(replace(spread_labels(style, axis, width), grid=axis.grid and not rows.above))
    x = quantity("value", axis.domain, drawn, stack="zero" if stacked else None)
    x["scale"] = {**x["scale"], "reverse": reverse}
    values = with_tips(rows_of(frame, outward=stacked and style.of_answers), frame, options)
    share = rows.bar if stacked else rows.bar / len(names)
    for row in values:
        offset = 0.0 if stacked else (row["order"] - (len(names) - 1) / 2) * share
        row["y"] = rows.middle(int(row["row"])) + rows.shift + offset
    order = {"order": {"field": "order"}, **({"detail": {"field": "row"}} if stacked else {})}
    encoding: Spec = {"x": x, "y": pixels("y"), "color": series_color(style, names), **order}
    edge = {"stroke": style.palette.paper, "strokeWidth": 1, "cornerRadiusEnd": 0} if stacked else {}
    look = {"size": share * (1 if stacked else 0.92), "orient": "horizontal", **edge}
    layers = [
        *(_grid(style, x, axis, rows, frame.height) if rows.above else []),
        add_tips(layer("bar", encoding, look=look), values),
        *_zero(style, x, rows, frame.height),
        _names(style, rows, -start),
    ]
    if options.shares and options.values.labels:
        layers.append(_share_texts(style, frame, options, rows, width, x))
    padding = Padding(left + start, style.inner - left - start - width, style.line + 4, 0)
    spec = specification(style, (width, height), padding, layers, values)
    above, scales = style.line + 4, _scales(frame, (width, height), axis.domain, reverse=reverse)
    return Chart(height + above, spec, key=key_of(style, names), scales=scales)


def _scales(frame: Frame, box: tuple[float, float], domain: tuple[float, float], *, reverse: bool) -> Scales:
    """The places of values from the left."""
    (width, height), (low, high) = box, domain

    def upward(value: float) -> float:
        share = (value - low) / (high - low)
        return width * (1 - share if reverse else share)

    return Scales(width, height, upward, rows_across(frame, height), lying=True)


def _share_texts(
    style: Style, frame: Frame, options: ChartOptions, rows: Rows, width: float, x: Spec
) -> Spec:
    """The shares in the middle of their parts."""
    texts = list(part_values(style, frame, options, width, rows.bar, lying=True))
    for text in texts:
        text["y"] = rows.middle(int(text["row"])) + rows.shift
    along = {**x, "field": "middle", "stack": None}
    return layer(
        "text", {"x": along, "y": pixels("y"), "text": {"field": "text"}, "fill": own_color()}, texts
    )


def _horizontal(domain: tuple[float, float], *, reverse: bool) -> Spec:
    x = quantity("value", domain, None)
    x["scale"] = {**x["scale"], "reverse": reverse}
    return x


def _zero(style: Style, x: Spec, rows: Rows, count: int) -> list[Spec]:
    """The line from which bars begin, broken at names that stand above them."""
    return [_uprights(x, (0.0,), rows, count, {"color": style.palette.zero, "strokeWidth": 1.2})]


def _grid(style: Style, x: Spec, axis: ValueAxis, rows: Rows, count: int) -> list[Spec]:
    """The lines of an axis beside bars whose names stand above them."""
    return [_uprights(x, axis.ticks, rows, count, {"color": style.palette.grid})] if axis.grid else []


def _uprights(x: Spec, places: Sequence[float], rows: Rows, count: int, look: Spec) -> Spec:
    channel = {key: value for key, value in x.items() if key != "stack"}
    encoding = {"x": {**channel, "field": "at"}, "y": pixels("top"), "y2": {"field": "bottom"}}
    return layer(
        "rule",
        encoding,
        [
            {"at": at, "top": top, "bottom": bottom}
            for at in places
            for top, bottom in rows.beside_names(count)
        ],
        look,
    )


def _names(style: Style, rows: Rows, start: float) -> Spec:
    """The names, right-aligned beside the bars or above them at the left."""
    placed = []
    for index, lines in enumerate(rows.lines):
        for at, line in enumerate(lines):
            if rows.above:
                y = index * rows.row + 4 + (at + 0.5) * style.line
            else:
                y = rows.middle(index) + (at - (len(lines) - 1) / 2) * style.line
            placed.append({"y": y, "text": line})
    encoding = {
        "x": {"value": start if rows.above else start - 12},
        "y": pixels("y"),
        "text": {"field": "text"},
    }
    return layer("text", encoding, placed, {"align": "left" if rows.above else "right"})
