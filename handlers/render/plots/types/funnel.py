"""Funnels: what is left from step to step."""

from __future__ import annotations

from functools import partial

from handlers.render.plots.charts.marks.row_fit import fit_rows
from handlers.render.plots.charts.parts.funnels import draw_funnel
from handlers.render.plots.data.frame import Frame
from handlers.render.plots.data.numbers import alone
from handlers.render.plots.drawn.column_roles import series_asked
from handlers.render.plots.drawn.data_steps import MOST_BARS, USUAL, first_rows, single
from handlers.render.plots.forms.terminal import parts as terminal
from handlers.render.plots.plot_type import PlotType
from handlers.render.plots.shown.description import LONGEST
from handlers.render.plots.types.shares import lacks_positive


def _tell_steps(frame: Frame, unit: str) -> list[str]:
    """The first and the last step, and the share that comes to it."""
    known = [(value, name) for value, name in zip(frame.series[0].numbers, frame.categories, strict=True)
             if value is not None]  # fmt: skip
    (first, begin), (last, end) = known[0], known[-1]
    share = f", {last / first:.0%} of the first" if first else ""
    return [f"{alone(first, unit)} at {begin[:LONGEST]}", f"{alone(last, unit)} at {end[:LONGEST]}{share}"]


TYPES = (
    PlotType(
        word="funnel",
        noun="funnel",
        title="Funnel",
        order=9.3,
        example="step,people\nSeen,120\nTried,45\nBought,12\n",
        drawing='<path class="p1" d="M3 3h34v5H3zM9 10h22v5H9zM14 17h12v4H14zM17 23h6v3h-6z"/>',
        draw=fit_rows(draw_funnel, lines_above=0.0),
        terminal=terminal.draw_funnel,
        tells=_tell_steps,
        reads=frozenset(("axis/sort",)),
        steps=(*USUAL, single),
        last_steps=(partial(first_rows, most=MOST_BARS),),
        asks=lambda frame: series_asked(frame, 1, "step,people"),
        lacks=lacks_positive,
        units="one",
        sorted="rows",
        rows=True,
    ),
)
