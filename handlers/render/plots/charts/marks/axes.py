"""Axes of a box of marks: the grid of its values with labels on it, zero, and labels along its lower edge."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from handlers.render.plots.charts.marks.canvas import Canvas
from handlers.render.plots.charts.value_axis import Box
from handlers.render.plots.look.style import Style
from handlers.render.plots.look.type_metrics import cut

LABELS = "mark-text role-axis-label"
ALONG = f"{LABELS} along"
UP = "↑ "
SIGN = 5
"""Pixels of a tick below the box."""


def draw_grid(canvas: Canvas, style: Style, box: Box) -> None:
    """Draw the grid of the values from the chart's left edge, and their labels, which stand on its lines.

    Where two would touch the lower one goes; the highest stays.
    """
    axis, free, shown = box.axis, -math.inf, set[float]()
    places = [box.y(tick) for tick in axis.ticks]
    if axis.grid:
        canvas.grid([((0.0, y), (box.right, y)) for y in places], style.palette.grid)
    for y in sorted(places):
        if y - free >= style.label:
            shown.add(y)
            free = y
    for y, label in zip(places, axis.labels, strict=True):
        if label and y in shown:
            middle = y - 3 - style.label * 0.55
            canvas.text(0, middle, label, style.label, style.palette.quiet, group=LABELS)


def draw_zero(canvas: Canvas, style: Style, box: Box) -> None:
    """Draw the line at zero from the chart's left edge, where the axis has one."""
    if box.axis.has_zero:
        y = box.y(0.0)
        canvas.line((0.0, y), (box.right, y), style.palette.zero, 1.2)


def draw_along(
    canvas: Canvas,
    style: Style,
    box: Box,
    ticks: Iterable[tuple[float, Sequence[str]]],
    *,
    signs: bool,
    gap: float = 4,
    reach: float = math.inf,
) -> None:
    """Draw labels of one or more lines so far below the box at their pixels, with signs of ticks or without.

    None of them ends more than `reach` pixels beside it.
    """
    quiet, below, ticks = style.palette.quiet, box.bottom + gap + SIGN * signs, list(ticks)
    for x, _ in ticks if signs else ():
        canvas.line((x, box.bottom), (x, box.bottom + SIGN), style.palette.edge, 1)
    for x, lines in ticks:
        for at, line in enumerate(lines):
            if line:
                half, y = style.text(line) / 2, below + style.label * 0.45 + at * style.line
                within = max(box.left - reach + half, min(box.right + reach - half, x))
                canvas.text(within, y, line, style.label, quiet, anchor="middle", group=ALONG)


def name_upward(canvas: Canvas, style: Style, name: str, y: float, *, arrow: bool = True) -> None:
    """Write the name of the upright axis at a height, from the chart's left edge."""
    canvas.text(0, y, cut(f"{UP * arrow}{name}", style.label, style.inner), style.label, style.palette.quiet)


def name_along(canvas: Canvas, style: Style, name: str, x: float, y: float) -> None:
    """Write the name of the lower axis at a height, up to its right end."""
    text = cut(f"{name} →", style.label, x)
    canvas.text(x, y, text, style.label, style.palette.quiet, anchor="end")
