"""Axes of a box of lines: its grid with the labels of values on it, and the ticks along it."""

from __future__ import annotations

from handlers.render.plots.charts.line_box import PlotBox, share_along
from handlers.render.plots.charts.marks.canvas import Canvas
from handlers.render.plots.look.style import Style


def x_of(box: PlotBox, place: float) -> float:
    """Pixels of a place from the chart's left edge."""
    return box.left + share_along(place, (box.low, box.high), log=box.log) * box.width


def y_of(box: PlotBox, value: float) -> float:
    """Pixels of a value from the chart's top."""
    return box.top + box.y(value)


def draw_line_axes(canvas: Canvas, style: Style, box: PlotBox) -> None:
    """The grid with its labels, the line at zero, and the ticks along the lower edge."""
    palette, axis, right = style.palette, box.axis, box.left + box.width
    places = [y_of(box, tick) for tick in axis.ticks]
    if axis.grid:
        canvas.grid([((0.0, y), (right, y)) for y in places], palette.grid)
    for y, label in zip(places, axis.labels, strict=True):
        if label:
            canvas.text(
                0,
                y - style.label * 0.5 - 1,
                label,
                style.label,
                palette.quiet,
                group="mark-text role-axis-label",
            )
    low, high = axis.domain
    if not axis.log and low <= 0 <= high:
        canvas.line((0, y_of(box, 0.0)), (right, y_of(box, 0.0)), palette.zero, 1.2)
    bottom = box.top + box.height
    for tick in box.ticks:
        x = x_of(box, tick.at)
        if box.signs:
            canvas.line((x, bottom), (x, bottom + 5), palette.edge, 1)
        for at, line in enumerate(tick.lines):
            y = bottom + 9 + style.line * (at + 0.5)
            canvas.text(x, y, line, style.label, palette.quiet, anchor="middle")
