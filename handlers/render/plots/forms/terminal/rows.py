"""Rows of signs in a terminal: the axis of their places, and the key of their series."""

from __future__ import annotations

from collections.abc import Sequence

from handlers.render.plots.charts.value_axis import ValueAxis
from handlers.render.plots.data.numbers import spread_of
from handlers.render.plots.forms.terminal.screen import Screen
from handlers.render.plots.look.options import ChartOptions
from handlers.words.language import say

SIGNS = "●○◆◇■□▲△"
"""The signs of the series, which tell them apart where there are no colours."""


def places_axis(values: Sequence[float | None], options: ChartOptions, *, zero: bool) -> ValueAxis:
    """The axis from the least value to the greatest, or further where it is wished."""
    wishes = options.values
    low, high = spread_of([*values, wishes.low, wishes.high, *([0.0] if zero else [])])
    log = wishes.log and low > 0
    return ValueAxis((low, high), ("", ""), (low, high if high > low else low + 1), log)


def key_lines(screen: Screen, names: Sequence[str]) -> list[str]:
    """The signs of the series with their names, in one line."""
    entries = [
        f"{screen.paint(SIGNS[index % len(SIGNS)], screen.tone(index))} {screen.name(name, 24)}"
        for index, name in enumerate(names[: len(SIGNS)])
    ]
    more = [say(f"({len(names) - len(SIGNS)} others)")] if len(names) > len(SIGNS) else []
    return ["  ".join([*entries, *more])]
