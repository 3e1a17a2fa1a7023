"""Waterfalls: changes and the sums that they lead to."""

from __future__ import annotations

from functools import partial

from handlers.render.plots.charts.marks.row_fit import fit_rows
from handlers.render.plots.charts.parts.waterfalls import draw_waterfall
from handlers.render.plots.data.frame import Frame
from handlers.render.plots.data.numbers import alone
from handlers.render.plots.drawn.data_steps import MOST_BARS, first_rows
from handlers.render.plots.drawn.running_sums import sum_roles, sum_steps, waterfall_frame
from handlers.render.plots.forms.terminal import parts as terminal
from handlers.render.plots.plot_type import PlotType
from handlers.render.plots.shown.description import LONGEST


def _tell_sums(frame: Frame, unit: str) -> list[str]:
    """The greatest change, and where the sum ends."""
    steps = [step for step in sum_steps(frame) if step.end is not None]
    changes = [step for step in steps if not step.total] or steps
    top = max(changes, key=lambda step: abs(step.change))
    end = steps[-1].end or 0.0
    return [
        f"greatest change {alone(top.change, unit)} at {top.name[:LONGEST]}",
        f"ends at {alone(end, unit)}",
    ]


TYPES = (
    PlotType(
        word="waterfall",
        noun="waterfall chart",
        title="Waterfall",
        order=9.1,
        example="item,sum,kind\nSales,120,\nWages,-50,\nRent,-80,\nResult,,total\n",
        drawing=(
            '<path class="p1" d="M3 3h9v6H3zM12 10h9v6h-9z"/><path class="p2" d="M21 13h7v9h-7zM29'
            ' 3h8v23h-8z"/>'
        ),
        draw=fit_rows(draw_waterfall),
        terminal=terminal.draw_sums,
        tells=_tell_sums,
        reads=frozenset(("axis", "axis/ticks", "legend")),
        steps=(waterfall_frame,),
        last_steps=(partial(first_rows, most=MOST_BARS),),
        asks=lambda frame: "" if sum_roles(frame) else "names and values, such as name,value,total",
        sorted="parts",
        across=True,
        rows=True,
    ),
)
