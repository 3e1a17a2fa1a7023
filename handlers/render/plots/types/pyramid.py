"""Pyramids: two series back to back."""

from __future__ import annotations

from functools import partial

from handlers.render.plots.charts.parts.pyramids import draw_pyramid
from handlers.render.plots.drawn.column_roles import series_asked
from handlers.render.plots.drawn.data_steps import MOST_BARS, USUAL, first_rows, pair
from handlers.render.plots.forms.terminal import parts as terminal
from handlers.render.plots.plot_type import PlotType
from handlers.render.plots.shown.description import tell_greatest

TYPES = (
    PlotType(
        word="pyramid",
        noun="pyramid",
        title="Pyramid",
        order=9.4,
        example="age,women,men\n0 to 29,12,13\n30 to 59,15,14\n60 and over,14,11\n",
        drawing=(
            '<path class="p1" d="M14 3h5v4h-5zM9 9h10v4H9zM5 15h14v4H5zM7 21h12v4H7z"/><path'
            ' class="p2" d="M21 3h4v4h-4zM21 9h9v4h-9zM21 15h15v4H21zM21 21h11v4H21z"/>'
        ),
        draw=draw_pyramid,
        terminal=terminal.draw_pyramid,
        tells=tell_greatest,
        reads=frozenset(("axis", "axis/sort", "axis/ticks")),
        steps=(*USUAL, pair),
        last_steps=(partial(first_rows, most=MOST_BARS),),
        asks=lambda frame: series_asked(frame, 2, "age,women,men"),
        sorted="rows",
        across=True,
        rows=True,
    ),
)
