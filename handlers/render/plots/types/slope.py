"""Slopes: a line for each name from column to column."""

from __future__ import annotations

from functools import partial

from handlers.render.plots.charts.ranges.slopes import draw_slopes
from handlers.render.plots.drawn.column_roles import series_asked
from handlers.render.plots.drawn.data_steps import MOST_SLOPES, USUAL, first_columns, first_rows
from handlers.render.plots.forms.terminal import rows as terminal
from handlers.render.plots.plot_type import PlotType
from handlers.render.plots.shown.description import tell_greatest

TYPES = (
    PlotType(
        word="slope",
        noun="slope chart",
        title="Slopes",
        order=8.5,
        example="place,north,south\nOslo,12,8\nBergen,15,\nTromsø,-4,14\n",
        drawing=(
            '<path class="l2" d="M8 3v22M32 3v22"/><path class="l1" d="M8 19l24-13M8 9l24 8M8 23l24-2"/>'
        ),
        draw=draw_slopes,
        terminal=terminal.draw_steps,
        tells=tell_greatest,
        reads=frozenset(("axis", "legend")),
        steps=(*USUAL, first_columns),
        last_steps=(partial(first_rows, most=MOST_SLOPES),),
        asks=lambda frame: series_asked(frame, 2, "name,before,after"),
        log=True,
        rows=True,
        along=True,
    ),
)
