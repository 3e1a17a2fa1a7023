"""Calendars: a square for each day, coloured by its value."""

from __future__ import annotations

from handlers.render.plots.charts.matrices import draw_calendar
from handlers.render.plots.data.frame import Frame
from handlers.render.plots.drawn.data_steps import USUAL, order_rows, single, sum_days
from handlers.render.plots.forms.terminal import cells as terminal
from handlers.render.plots.plot_type import PlotType
from handlers.render.plots.shown.description import tell_greatest


def _lacking(frame: Frame) -> str:
    return "" if frame.moments else "dates in the first column, such as 2026-11-20"


TYPES = (
    PlotType(
        word="calendar",
        noun="calendar",
        title="Calendar",
        order=6.2,
        example="day,runs\n" + "".join(f"2026-01-{day:02},{day * 7 % 11}\n" for day in range(1, 29)),
        draw=draw_calendar,
        terminal=terminal.draw_calendar,
        tells=tell_greatest,
        reads=frozenset(("legend",)),
        steps=(*USUAL, order_rows, single, sum_days),
        lacks=_lacking,
        weeks=True,
        units="one",
        along=True,
    ),
)
