"""Figures for terminals: the last value, its change, and a line of blocks."""

from __future__ import annotations

from handlers.render.plots.charts.figures import ChangeTone, change_of, change_tone, compared_with
from handlers.render.plots.data.frame import Frame
from handlers.render.plots.forms.terminal.screen import Screen
from handlers.render.plots.forms.terminal.table import on_any_ground
from handlers.render.plots.forms.terminal.text import BLOCKS, signs
from handlers.render.plots.look.options import ChartOptions
from handlers.render.plots.look.palette import LIGHT

TONES = {ChangeTone.GOOD: on_any_ground(LIGHT.good), ChangeTone.BAD: on_any_ground(LIGHT.bad)}
"""The colours of changes that are good or bad."""


def draw_figure(screen: Screen, frame: Frame, options: ChartOptions, *, change: bool) -> list[str]:
    """The last value, its change, and a line of blocks for those before."""
    values = [value for value in frame.series[0].numbers if value is not None]
    last = options.write(values[-1])
    room = screen.columns if change else max(4, screen.columns - len(last) - 1)
    shown = values[-room:]
    low, high = min(shown), max(shown)
    marks = "".join(BLOCKS[int((value - low) / ((high - low) or 1) * 7)] for value in shown)
    line = screen.paint(marks, screen.tone(0))
    if not change:
        return [f"{line} {last}"]
    before, name = compared_with(frame, options)
    lines = [line] if len(values) > 2 else []
    if before is None:
        return [last, *lines]
    words = screen.name(change_of(before, values[-1], name, options), screen.columns)
    tone = TONES.get(change_tone(before, values[-1], options))
    told = screen.paint(words, tone) if tone else words
    beside = signs(last) + 2 + signs(words) <= screen.columns
    return [*([f"{last}  {told}"] if beside else [last, told]), *lines]
