"""Names beside the last of several stacks: those of all parts, or of the parts that have a line of room."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from handlers.render.plots.charts.chart import spread_apart
from handlers.render.plots.charts.marks.canvas import Canvas
from handlers.render.plots.charts.value_axis import ValueAxis
from handlers.render.plots.data.frame import Frame
from handlers.render.plots.drawn.left_out import quote_names
from handlers.render.plots.look.options import ChartOptions, KeyPosition
from handlers.render.plots.look.style import Style
from handlers.render.plots.look.type_metrics import cut

MOST, FEW_SHARE = 6, 0.34
"""Parts up to which all are named, and the most of the width that the few that find room take."""


@dataclass(frozen=True, slots=True)
class StackName:
    """The name of a part beside its stack: the number of its series, the text, and pixels from the top."""

    series: int
    text: str
    y: float


def stack_names(
    style: Style, frame: Frame, axis: ValueAxis, plot: float, options: ChartOptions
) -> tuple[StackName, ...]:
    """The names beside the last stack of a plot of that height; none where a key is to name the parts."""
    last = [column.numbers[-1] for column in frame.series]
    below = any(v is not None and v < 0 for column in frame.series for v in column.numbers)
    if not options.key.beside or below:
        return ()
    known = [value or 0.0 for value in last]
    every = _all(style, frame, axis, plot, known) if None not in last else ()
    return every or (_few(style, frame, axis, plot, known) if options.key is KeyPosition.FEW else ())


def room_of(style: Style, shown: Sequence[StackName]) -> int:
    """Pixels of width that the names take."""
    return math.ceil(style.widest((name.text for name in shown), 600)) + 10 if shown else 0


def draw_stack_names(
    canvas: Canvas, style: Style, shown: Sequence[StackName], tones: Sequence[str], at: tuple[float, float]
) -> None:
    """Draw the names in the colours of their parts, on a halo of the ground, as the grid reaches there.

    They begin at a place from the left, and are so far below it as their parts are.
    """
    palette, (x, top) = style.palette, at
    for name in shown:
        color = palette.readable(tones[name.series])
        canvas.text(x, top + name.y, name.text, style.label, color, weight=600, halo=(palette.paper, 5))


def names_lost(frame: Frame, shown: Sequence[StackName]) -> tuple[str, ...]:
    """A sentence about the parts whose names find no room beside the others."""
    named = {name.series for name in shown}
    lost = [column.name for at, column in enumerate(frame.series) if at not in named]
    return (f"These names find no room: {quote_names(lost)}.",) if shown and lost else ()


def _all(
    style: Style, frame: Frame, axis: ValueAxis, plot: float, known: Sequence[float]
) -> tuple[StackName, ...]:
    """The names of all parts, when each finds a place near its own."""
    names = [column.name for column in frame.series]
    if len(names) > MOST or style.widest(names, 600) > style.inner * (0.3 if style.narrow else 0.22):
        return ()
    middles = [plot - axis.position(sum(known[:at]) + value / 2, plot) for at, value in enumerate(known)]
    placed = spread_apart(middles, style.line, 0, plot)
    tall = [value / (axis.domain[1] - axis.domain[0]) * plot for value in known]
    if any(abs(a - b) > max(size / 2, 9) for a, b, size in zip(placed, middles, tall, strict=True)):
        return ()
    return tuple(StackName(at, name, y) for at, (name, y) in enumerate(zip(names, placed, strict=True)))


def _few(
    style: Style, frame: Frame, axis: ValueAxis, plot: float, known: Sequence[float]
) -> tuple[StackName, ...]:
    """The names of the parts that are high enough for a line, from below; long ones are cut."""
    placed, start, free = list[StackName](), 0.0, plot + style.line / 2
    for at, (column, value) in enumerate(zip(frame.series, known, strict=True)):
        middle = plot - axis.position(start + value / 2, plot)
        tall = axis.position(value, plot) - axis.position(0.0, plot)
        start += value
        if tall >= style.label * 0.8 and free - middle >= style.line and middle > 0:
            placed.append(StackName(at, cut(column.name, style.label, style.inner * FEW_SHARE, 600), middle))
            free = middle
    return tuple(placed)
