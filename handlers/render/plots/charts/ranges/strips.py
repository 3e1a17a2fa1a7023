"""Strips: a dot for each value of a set, beside those that would lie on it, and the set's median."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from handlers.render.plots.charts.chart import Chart, KeyEntry
from handlers.render.plots.charts.distributions import groups_of
from handlers.render.plots.charts.marks.canvas import Canvas
from handlers.render.plots.charts.marks.row_box import RowBox, RowRoom, draw_rows, measure_rows
from handlers.render.plots.data.frame import Column, ColumnType, Frame
from handlers.render.plots.data.numbers import quantile
from handlers.render.plots.drawn.measured import MOST_BOXES
from handlers.render.plots.look.options import ChartOptions
from handlers.render.plots.look.style import Style

MOST_DOTS = 4_000
ROW = 2.6
"""Height of a row, in lines."""


def draw_strips(style: Style, frame: Frame, box: float | None, options: ChartOptions) -> Chart:
    """A row for each set; where dots are dense they are pressed together, and none is left out of it."""
    sets = groups_of(frame)[:MOST_BOXES]
    count = sum(len(values) for _, values in sets)
    step = max(1, -(-count // MOST_DOTS))
    radius = (3.4 if count <= 120 else 2.6 if count <= 600 else 1.8) * style.closer
    names = Frame((Column("set", ColumnType.TEXT, tuple(name for name, _ in sets)),))
    bars = 2 if len(sets) <= 12 else 1
    values = [value for _, some in sets for value in some]
    area = measure_rows(style, names, box, values, options, RowRoom(radius, radius, bars=bars))
    canvas = Canvas()
    draw_rows(canvas, style, area)
    for row, (name, some) in enumerate(sets):
        shown = sorted({*some[::step], some[0], some[-1]}) if step > 1 else some
        _draw_set(canvas, style, area, row, name, shown, radius, options)
    for row, (_, some) in enumerate(sets):
        x, half = area.x(quantile(some, 0.5)), area.rows.bar / 2
        y = area.y(row)
        canvas.line((x, y - half), (x, y + half), style.palette.ink, 2)
    notes = (f"{count:,} values drawn as every {step}th.",) if step > 1 else ()
    key = (KeyEntry("bar", style.palette.ink, "median"),)
    return Chart(area.height, svg=canvas.svg(), key=key, notes=notes)


def _draw_set(
    canvas: Canvas, style: Style, area: RowBox, row: int, name: str, values: Sequence[float], radius: float,
    options: ChartOptions,
) -> None:  # fmt: skip
    tone, opacity = style.category(0), 0.75 if len(values) <= 200 else 0.5
    offsets = _apart([area.x(value) for value in values], radius * 2.1)
    deepest = max((abs(offset) for offset in offsets), default=0)
    step = min(radius * 2.1, (area.rows.bar / 2 - radius) / deepest) if deepest else 0.0
    for value, offset in zip(values, offsets, strict=True):
        tip = f"{name}: {options.write(value)}"
        canvas.circle(area.x(value), area.y(row) + offset * step, radius, tone, tip=tip, opacity=opacity)


def _apart(places: Sequence[float], gap: float) -> list[int]:
    """For rising places the number of steps by which each is moved: 0, then in turn up and down."""
    last: dict[int, float] = {}
    moved = list[int]()
    for place in places:
        for step in _steps():
            if place - last.get(step, -1e9) >= gap or abs(step) >= 12:
                last[step] = place
                moved.append(step)
                break
    return moved


def _steps() -> Iterator[int]:
    yield 0
    for step in range(1, 13):
        yield step
        yield -step
