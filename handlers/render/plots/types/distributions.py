"""Distributions of numbers: histograms, boxes, and strips with a dot for each."""

from __future__ import annotations

from functools import partial

from handlers.render.plots.charts.distributions import draw_boxes
from handlers.render.plots.charts.histograms import draw_histogram
from handlers.render.plots.charts.marks.row_fit import fit_sets
from handlers.render.plots.charts.ranges.strips import draw_strips
from handlers.render.plots.data.frame import Frame
from handlers.render.plots.data.numbers import alone, quantile
from handlers.render.plots.drawn.data_steps import bound_series, measure_sets, names_first
from handlers.render.plots.drawn.measured import MOST_BOXES, MOST_PANELS
from handlers.render.plots.forms.terminal import bars as terminal
from handlers.render.plots.plot_type import PlotType
from handlers.render.plots.shown.description import LONGEST, range_words

NUMBERS = "height\n" + "".join(f"{at * at % 97}\n" for at in range(1, 31))
GROUPS = "tree,height\n" + "".join(f"{'ash' if at % 3 else 'elm'},{at * at % 97}\n" for at in range(1, 31))
AXES = frozenset(("axis", "axis/ticks"))
SETS = (names_first, bound_series)


def tell_medians(frame: Frame, unit: str) -> list[str]:
    """The range and the median of each of the first sets."""
    told = []
    for column in frame.series[:4]:
        ordered = sorted(value for value in column.numbers if value is not None)
        if ordered:
            median = alone(quantile(ordered, 0.5), unit)
            told.append(f"{column.name[:LONGEST]} {range_words(ordered, unit)}, median {median}")
    return told


TYPES = (
    PlotType(
        word="hist",
        noun="histogram",
        title="How often",
        order=4.1,
        example=NUMBERS,
        drawing=(
            '<path class="p1" d="M3 21h6v5H3zM10 13h6v13h-6zM17 4h6v22h-6zM24 11h6v15h-6zM31 19h6v7h-6z"/>'
        ),
        draw=draw_histogram,
        terminal=terminal.draw_counts,
        tells=tell_medians,
        reads=AXES,
        steps=(*SETS, partial(measure_sets, most=MOST_PANELS, what="histogram", few_groups=True)),
        years="unless",
        binned=True,
    ),
    PlotType(
        word="box",
        noun="box plot",
        title="Boxes",
        order=4.2,
        example=GROUPS,
        draw=draw_boxes,
        terminal=terminal.draw_boxes,
        tells=tell_medians,
        reads=AXES | {"axis/sort", "legend"},
        steps=(*SETS, partial(measure_sets, most=MOST_BOXES, what="box")),
        years="unless",
        sorted="sets",
        log=True,
        across=True,
        rows=True,
    ),
    PlotType(
        word="strip",
        noun="strip plot",
        title="Strips",
        order=4.3,
        example=GROUPS,
        drawing=(
            '<g class="p1"><circle cx="8" cy="7" r="1.7"/><circle cx="12" cy="7" r="1.7"/><circle'
            ' cx="14" cy="5" r="1.7"/><circle cx="14" cy="9" r="1.7"/><circle'
            ' cx="17" cy="7" r="1.7"/><circle cx="23" cy="7" r="1.7"/><circle'
            ' cx="31" cy="7" r="1.7"/><circle cx="11" cy="21" r="1.7"/><circle'
            ' cx="18" cy="21" r="1.7"/><circle cx="20" cy="19" r="1.7"/><circle'
            ' cx="20" cy="23" r="1.7"/><circle cx="23" cy="21" r="1.7"/><circle'
            ' cx="25" cy="19" r="1.7"/><circle cx="25" cy="23" r="1.7"/><circle'
            ' cx="29" cy="21" r="1.7"/></g>'
        ),
        draw=fit_sets(draw_strips),
        terminal=terminal.draw_strips,
        tells=tell_medians,
        reads=AXES | {"axis/sort", "legend"},
        steps=(*SETS, partial(measure_sets, most=MOST_BOXES, what="strip")),
        years="unless",
        sorted="sets",
        log=True,
        across=True,
        rows=True,
    ),
)
