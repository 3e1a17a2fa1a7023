"""Shades: cells of a terminal that are coloured or shaded by their values."""

from __future__ import annotations

from bisect import bisect_right

from handlers.render.plots.charts.ramps import Ramp
from handlers.render.plots.data.numbers import alone
from handlers.render.plots.forms.terminal.screen import SHADES, Screen
from handlers.render.plots.forms.terminal.text import signs
from handlers.render.plots.look.options import ChartOptions
from handlers.render.plots.look.palette import LIGHT


def write_cell(screen: Screen, ramp: Ramp, value: float | None, text: str, width: int) -> str:
    """A cell: its number on its colour, or its shade."""
    if value is None:
        return text or " " * width
    color = ramp.color(value)
    if text:
        return screen.paint(text, LIGHT.on(color), color)
    if screen.colored:
        return screen.paint(" " * width, color, color)
    if ramp.bounds:
        number = bisect_right(ramp.bounds, value)
        return (SHADES[number] if len(ramp.bounds) < len(SHADES) else str(number + 1)) * width
    return SHADES[min(len(SHADES) - 1, int(ramp.share(value) * len(SHADES)))] * width


def scale_lines(screen: Screen, ramp: Ramp, options: ChartOptions) -> list[str]:
    """The shades with the ends of what they mean, or each class with its shade."""
    classes = ramp.classes(options)
    if classes:
        each = max(1, (screen.columns + 2) // (max(signs(text) for _, text in classes) + 5))
        texts = [f"{write_cell(screen, ramp, value, '', 2)} {text}" for value, text in classes]
        return ["  ".join(texts[at : at + each]) for at in range(0, len(texts), each)]
    steps = [ramp.between(ramp.low, ramp.high, share / 4) for share in range(5)]
    cells = "".join(write_cell(screen, ramp, value, "", 2) for value in steps)
    return [f"{alone(ramp.low, options.unit)} {cells} {alone(ramp.high, options.unit)}"]
