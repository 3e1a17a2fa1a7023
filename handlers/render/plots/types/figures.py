"""Single figures: the last value of a series, alone or at the end of its line."""

from __future__ import annotations

from functools import partial

from handlers.render.plots.charts.figures import draw_figure, draw_spark
from handlers.render.plots.drawn.data_steps import USUAL, order_rows, single
from handlers.render.plots.forms.terminal import figures as terminal
from handlers.render.plots.plot_type import PlotType
from handlers.render.plots.shown.description import tell_last

EXAMPLE = "month,north,south\n2026-01,12,8\n2026-02,15,11\n2026-04,9,14\n2026-07,18,10\n"
STEPS = (*USUAL, order_rows, single)
TYPES = (
    PlotType(
        word="spark",
        noun="spark line",
        title="Spark line",
        order=7.1,
        example=EXAMPLE,
        draw=draw_spark,
        terminal=partial(terminal.draw_figure, change=False),
        tells=tell_last,
        reads=frozenset(("value",)),
        steps=STEPS,
        years="unless",
        units="one",
        along=True,
    ),
    PlotType(
        word="value",
        noun="figure",
        title="Figure",
        order=7.2,
        example=EXAMPLE,
        drawing=(
            '<path class="p1" d="M9 4h4v12H9zM17 4h10v3h-3l-4 9h-4l4-9h-3z"/><path class="l2" d="M6'
            ' 24l8-3 8 1 12-4"/>'
        ),
        draw=draw_figure,
        terminal=partial(terminal.draw_figure, change=True),
        tells=tell_last,
        reads=frozenset(("value", "value/against", "value/good", "value/than")),
        steps=STEPS,
        years="unless",
        units="one",
        along=True,
    ),
)
