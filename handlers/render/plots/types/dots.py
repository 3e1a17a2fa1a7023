"""Dots in rows: alone, on sticks, joined, or as bars between two values."""

from __future__ import annotations

from functools import partial

from handlers.render.plots.charts.marks.row_fit import fit_rows
from handlers.render.plots.charts.ranges.dots import DotKind, draw_dots
from handlers.render.plots.drawn.column_roles import series_asked
from handlers.render.plots.drawn.data_steps import MOST_BARS, USUAL, first_rows, pair, single
from handlers.render.plots.forms.terminal import rows as terminal
from handlers.render.plots.plot_type import Makes, PlotType
from handlers.render.plots.shown.description import tell_greatest

EXAMPLE = "place,north,south\nOslo,12,8\nBergen,15,\nTromsø,-4,14\n"


def _dots(  # noqa: PLR0913 (each is a field of the type)
    kind: DotKind, word: str, noun: str, title: str, order: float, drawing: str,
    step: Makes | None = None, *, legend: bool = True, log: bool = True,
) -> PlotType:  # fmt: skip
    """One type of dots in rows."""
    count = 2 if kind in (DotKind.JOINED, DotKind.RANGE) else 1
    reads = ("axis", "axis/sort", "axis/ticks", *(("legend",) if legend else ()))
    return PlotType(
        word=word,
        noun=noun,
        title=title,
        order=order,
        example=EXAMPLE,
        drawing=drawing,
        draw=fit_rows(lambda style, frame, box, options: draw_dots(style, frame, box, kind, options)),
        terminal=partial(terminal.draw_dot_rows, kind=kind),
        tells=tell_greatest,
        reads=frozenset(reads),
        steps=(*USUAL, *((step,) if step is not None else ())),
        last_steps=(partial(first_rows, most=MOST_BARS),),
        asks=lambda frame: series_asked(frame, count, "name,from,to" if count == 2 else "name,value"),
        sorted="rows",
        log=log,
        across=True,
        rows=True,
        along=True,
    )


TYPES = (
    _dots(
        DotKind.DOT, "dot", "dot plot", "Dots", 8.1,
        (
            '<path class="l2" d="M4 6h32M4 14h32M4 22h32" stroke-dasharray=".1 4"/><g class="p1">'
            '<circle cx="28" cy="6" r="2.8"/><circle cx="13" cy="14" r="2.8"/><circle'
            ' cx="21" cy="22" r="2.8"/></g>'
        ),
    ),
    _dots(
        DotKind.STICK, "lollipop", "lollipop chart", "Sticks", 8.2,
        (
            '<path class="l1" d="M4 6h24M4 14h13M4 22h19"/><g class="p1"><circle'
            ' cx="29" cy="6" r="2.8"/><circle cx="18" cy="14" r="2.8"/><circle'
            ' cx="24" cy="22" r="2.8"/></g>'
        ),
        single, legend=False, log=False,
    ),
    _dots(
        DotKind.JOINED, "dumbbell", "dumbbell chart", "Dumbbells", 8.3,
        (
            '<path class="l2" d="M10 6h20M6 14h16M16 22h16"/><g class="p1"><circle'
            ' cx="30" cy="6" r="2.8"/><circle cx="22" cy="14" r="2.8"/><circle'
            ' cx="32" cy="22" r="2.8"/></g><g class="p2"><circle cx="10" cy="6" r="2.8"/><circle'
            ' cx="6" cy="14" r="2.8"/><circle cx="16" cy="22" r="2.8"/></g>'
        ),
    ),
    _dots(
        DotKind.RANGE, "range", "range chart", "Ranges", 8.4,
        '<path class="p1" d="M14 3h18v5H14zM5 12h17v5H5zM10 21h22v5H10z"/>',
        pair, legend=False,
    ),
)  # fmt: skip
