"""Horizontal bars: long names in a column beside them, or above them on narrow pictures."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

from handlers.render.plots.charts.chart import Chart, key_of, spread_labels
from handlers.render.plots.charts.marks.canvas import Canvas
from handlers.render.plots.charts.marks.row_box import (
    GAP,
    RowBox,
    Rows,
    draw_rows,
    draw_zero,
    latest_or_largest,
    place_rows,
    rows_beside_values,
    rows_note,
    rows_that_fit,
)
from handlers.render.plots.charts.names import part_values, total_texts
from handlers.render.plots.charts.value_axis import Scales, ValueAxis, rows_across, value_axis
from handlers.render.plots.data.dates_written import row_names
from handlers.render.plots.data.frame import Frame
from handlers.render.plots.data.numbers import spread_of
from handlers.render.plots.data.series import BarPart, parts_of_bars, stack_sums, totals
from handlers.render.plots.drawn.left_out import tip_of
from handlers.render.plots.look.options import ChartOptions
from handlers.render.plots.look.style import Style

LEAST_EDGED = 6.0
"""Pixels of the thinnest part of a stack that has an edge."""
MOST_PARTS = 10_000
"""Most bars, or parts of stacks, that a picture draws."""
BESIDE = 0.08
"""Share of a bar's width that is free between it and the next bar of its row."""


def draw_horizontal_bars(
    style: Style, frame: Frame, box: float | None, options: ChartOptions, *, stacked: bool, turned: bool
) -> Chart:
    """Draw horizontal bars, the first on top; in a fixed height they are as thin as the font size allows."""
    names = frame.names
    over = style.line + 4 if len(names) > 1 else 0
    room = None if box is None else box - over
    shown = rows_that_fit(style, frame.latest(MOST_PARTS // max(1, len(names))), room, latest_or_largest)
    rows = place_rows(style, shown, 1 if stacked else len(names), room)
    if len(names) == 1 and rows.column:
        rows = rows_beside_values(style, shown, rows, options)
    chart = (
        _single(style, shown, rows, options, turned=turned)
        if len(names) == 1 and rows.row > style.label
        else _several(style, shown, rows, options, stacked=stacked, turned=turned)
    )
    note = rows_note(frame, shown, largest=room is not None and not frame.positions)
    return replace(chart, notes=(*chart.notes, *note), wants=frame.height * (style.line + 6.0) + over)


def _single(style: Style, frame: Frame, rows: Rows, options: ChartOptions, *, turned: bool) -> Chart:
    """Draw one series without an axis, with the values beyond the ends of the bars."""
    values = frame.series[0].numbers
    settings = options.values
    low, high = spread_of([0.0, *values, settings.low, settings.high, *settings.reach])
    written = options.writer(values)
    texts = [written(value) if value is not None else "n/a" for value in values]
    texts = texts if settings.labels else [""] * len(texts)
    room = style.widest(texts, 600) + 8
    left = math.ceil(rows.column) + GAP if rows.column else 0
    before, after = (room if low < 0 else 0.0), (room if high > 0 or low == 0 else 0.0)
    if turned:
        before, after = after, before
    width = max(40.0, style.inner - left - before - after)
    axis = ValueAxis((), (), (low, high if high > low else low + 1), turned=turned)
    box = RowBox(rows, left + before, left + before + width, 0.0, axis)
    canvas = Canvas(style)
    draw_rows(canvas, box, axis=False)
    _draw_bars(canvas, frame, box, options, stacked=False)
    if not rows.above or low < 0:
        draw_zero(canvas, box)
    _write_values(canvas, box, values, texts)
    height = rows.row * frame.height
    return Chart(height, canvas.svg(), scales=_scales(frame, box), marks=height)


def _draw_bars(canvas: Canvas, frame: Frame, box: RowBox, options: ChartOptions, *, stacked: bool) -> None:
    """Draw the bars of all series."""
    style, count = canvas.style, len(frame.series)
    each = box.rows.bar / (1 if stacked else count)
    tall = each if stacked or count == 1 else each * (1 - BESIDE)
    tones = style.tones(frame.names)
    rows = style.row_tones(frame.categories, frame.series[0].numbers)
    tip = bar_tips(frame, options)
    for part in parts_of_bars(frame, stacked=stacked, outward=style.of_answers):
        offset = 0.0 if stacked else (part.series - (count - 1) / 2) * each
        x, end = box.x(part.base), box.x(part.base + part.value)
        canvas.rect(
            x, box.y(part.row) + offset - tall / 2, end - x, tall,
            rows[part.row] if rows and count == 1 else tones[part.series],
            tip=tip(part),
            stroke=style.palette.paper if stacked and tall >= LEAST_EDGED else "",
            round_end="" if stacked else "right" if end > x else "left",
        )  # fmt: skip


def bar_tips(frame: Frame, options: ChartOptions) -> Callable[[BarPart], str]:
    """Return the function that makes the tooltip of a bar."""
    names, series = row_names(frame), [column.name * (len(frame.series) > 1) for column in frame.series]
    return lambda part: tip_of(names[part.row], series[part.series], options.exact(part.value))


def _write_values(canvas: Canvas, box: RowBox, values: Sequence[float | None], texts: Sequence[str]) -> None:
    """Write the values beyond the ends of the bars."""
    palette = canvas.style.palette
    for row, (value, text) in enumerate(zip(values, texts, strict=True)):
        right = ((value or 0) >= 0) != box.axis.turned
        color = palette.ink if value is not None else palette.quiet
        x, anchor = box.x(value or 0.0) + (5 if right else -5), "start" if right else "end"
        canvas.text(x, box.y(row), text, color, weight=600, anchor=anchor)


def _several(
    style: Style, frame: Frame, rows: Rows, options: ChartOptions, *, stacked: bool, turned: bool
) -> Chart:
    """Draw several series in every row, with a value axis on top."""
    names = frame.names
    left = math.ceil(rows.column) + GAP if rows.column else 0
    spread = totals(frame) if stacked else frame.values
    axis = value_axis(
        spread, max(2, round((style.inner - left) / 110)), options.unit, settings=options.values
    )
    axis = replace(axis, turned=turned)
    over = math.ceil(style.widest((axis.labels[0], axis.labels[-1])) / 2)
    start = left + (over if rows.above else 0)
    sums = total_texts(frame, options)
    after = max(over, math.ceil(style.widest(sums, 600)) + 8 if sums else 0)
    width, above = max(40.0, style.inner - start - after), style.line + 4
    box = RowBox(rows, start, start + width, above, spread_labels(style, axis, width))
    canvas = Canvas(style)
    draw_rows(canvas, box)
    _draw_bars(canvas, frame, box, options, stacked=stacked)
    draw_zero(canvas, box)
    if options.shares and options.values.labels:
        for part in part_values(style, frame, options, width, rows.bar, lying=True):
            x, y = box.x(part.middle), box.y(part.row)
            canvas.text(x, y, part.text, part.color, anchor="middle")
    for row, (text, (end, _)) in enumerate(zip(sums, stack_sums(frame), strict=False)):
        canvas.text(box.x(end) + 5, box.y(row), text, weight=600)
    height = rows.row * frame.height
    scales = _scales(frame, box)
    return Chart(height + above, canvas.svg(), key=key_of(style, names), scales=scales, marks=height)


def _scales(frame: Frame, box: RowBox) -> Scales:
    """Return the positions of values from the left."""
    height = box.bottom - box.top
    return Scales(
        box.width, height, lambda value: box.x(value) - box.left, rows_across(frame, height),
        lying=True, left=box.left, top=box.top,
    )  # fmt: skip
