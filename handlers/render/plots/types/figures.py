"""Single figures: the last value of a series, alone or with a line of the values before."""

from __future__ import annotations

from functools import partial

from handlers.render.plots.charts.figures import (
    ChangeTone,
    change_of,
    change_tone,
    compared_with,
    draw_figure,
    draw_spark,
)
from handlers.render.plots.data.frame import Frame
from handlers.render.plots.drawn.drawn_data import USUAL, order_rows, single
from handlers.render.plots.forms.terminal.screen import Screen, block_line, signs
from handlers.render.plots.forms.terminal.table import on_any_ground
from handlers.render.plots.look.options import ChartOptions
from handlers.render.plots.look.palette import LIGHT
from handlers.render.plots.plot_type import PlotType
from handlers.render.plots.shown.description import describe_last

EXAMPLE = "month,north,south\n2026-01,12,8\n2026-02,15,11\n2026-04,9,14\n2026-07,18,10\n"
STEPS = (*USUAL, order_rows, single)
TONES = {ChangeTone.GOOD: on_any_ground(LIGHT.good), ChangeTone.BAD: on_any_ground(LIGHT.bad)}
"""The colours of good and bad changes."""


def write_figure(screen: Screen, frame: Frame, options: ChartOptions, *, change: bool) -> list[str]:
    """Return the last value, its change, and a line of blocks for the values before."""
    values = [value for value in frame.series[0].numbers if value is not None]
    last = options.write(values[-1])
    room = screen.columns if change else max(4, screen.columns - len(last) - 1)
    shown = values[-room:]
    line = screen.paint(block_line(shown, min(shown), max(shown)), screen.tone(0))
    if not change:
        return [f"{line} {last}"]
    before, name = compared_with(frame, options)
    lines = [line] if len(values) > 2 else []
    if before is None:
        return [last, *lines]
    words = screen.name(change_of(before, values[-1], name, options), screen.columns)
    tone = TONES.get(change_tone(before, values[-1], options))
    painted = screen.paint(words, tone) if tone else words
    beside = signs(last) + 2 + signs(words) <= screen.columns
    return [*([f"{last}  {painted}"] if beside else [last, painted]), *lines]


TYPES = (
    PlotType(
        word="spark",
        noun="spark line",
        title="Spark line",
        order=7.1,
        rows=False,
        example=EXAMPLE,
        draw=draw_spark,
        terminal=partial(write_figure, change=False),
        describes=describe_last,
        reads=frozenset(("value",)),
        steps=STEPS,
        years="unless",
        units="one",
        along=True,
    ),
    PlotType(
        word="value",
        noun="figure",
        title="Single number",
        order=7.2,
        rows=False,
        example=EXAMPLE,
        draw=draw_figure,
        terminal=partial(write_figure, change=True),
        describes=describe_last,
        reads=frozenset(("value", "value/against", "value/good", "value/than")),
        steps=STEPS,
        years="unless",
        units="one",
        along=True,
    ),
)
