"""Heat maps: a cell for each name and series, coloured by its value."""

from __future__ import annotations

from functools import partial

from handlers.render.plots.charts.matrices import draw_heat_map
from handlers.render.plots.drawn.data_steps import (
    MOST_CELLS,
    MOST_COLUMNS,
    bound_series,
    drop_unused,
    first_rows,
    names_first,
    sum_names,
)
from handlers.render.plots.forms.terminal import cells as terminal
from handlers.render.plots.plot_type import PlotType
from handlers.render.plots.shown.description import tell_greatest

TYPES = (
    PlotType(
        word="heatmap",
        noun="heat map",
        title="Heat map",
        order=6.1,
        example="place,north,south\nOslo,12,8\nBergen,15,\nTromsø,-4,14\n",
        drawing=(
            '<path class="p2" d="M4 3h10v7H4zM15 11h10v7H15zM26 19h10v7H26z"/><path class="p1" d="M15'
            ' 3h10v7H15zM26 11h10v7H26zM4 19h10v7H4z"/>'
        ),
        draw=draw_heat_map,
        terminal=terminal.draw_heat_map,
        tells=tell_greatest,
        reads=frozenset(("axis/sort", "legend")),
        steps=(names_first, partial(bound_series, most=MOST_COLUMNS), drop_unused, sum_names),
        last_steps=(partial(first_rows, most=MOST_CELLS),),
        sorted="sums",
        rows=True,
    ),
)
