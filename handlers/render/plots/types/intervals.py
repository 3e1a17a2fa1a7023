"""Intervals: error bars in rows of names, and bands around lines."""

from __future__ import annotations

from functools import partial

from handlers.render.plots.charts.marks.row_fit import fit_rows
from handlers.render.plots.charts.ranges.intervals import draw_bands, draw_error_bars
from handlers.render.plots.data.frame import Frame
from handlers.render.plots.data.numbers import alone
from handlers.render.plots.drawn.data_steps import MOST_BARS, first_rows, order_rows
from handlers.render.plots.drawn.intervals import interval_columns, interval_frame, interval_series
from handlers.render.plots.forms.terminal import rows as terminal
from handlers.render.plots.plot_type import PlotType
from handlers.render.plots.shown.description import LONGEST, range_words

EXAMPLE = "year,value,low,high\n2020,12,8,15\n2021,14,11,18\n2022,9,,\n"
READS = frozenset(("axis", "axis/ticks", "legend"))


def _tell_intervals(frame: Frame, unit: str) -> list[str]:
    """The range of the values, and the widest interval with its place."""
    told = []
    for one in interval_series(frame)[:3]:
        known = [value for value in one.values if value is not None]
        ends = zip(one.lows, one.highs, frame.categories, strict=True)
        spans = [
            (high - low, low, high, name) for low, high, name in ends if low is not None and high is not None
        ]
        told += [f"{one.name[:LONGEST]} {range_words(known, unit)}"] if known else []
        if spans:
            _, low, high, name = max(spans)
            told.append(f"widest {alone(low, unit)} to {alone(high, unit)} at {name[:LONGEST]}")
    return told


def _count(frame: Frame) -> int:
    return len(interval_series(frame))


def _asked(frame: Frame) -> str:
    if interval_columns(frame):
        return ""
    return "names or days, values, and their bounds or errors, such as day,value,low,high or name,value,error"


TYPES = (
    PlotType(
        word="errorbar",
        noun="error bars",
        title="Error bars",
        order=8.6,
        example=EXAMPLE,
        drawing=(
            '<path class="l1" d="M7 7h22M7 4v6M29 4v6M13 20h20M13 17v6M33 17v6"/><g class="p1">'
            '<circle cx="18" cy="7" r="3"/><circle cx="25" cy="20" r="3"/></g>'
        ),
        draw=fit_rows(draw_error_bars),
        terminal=terminal.draw_intervals,
        tells=_tell_intervals,
        counts=_count,
        reads=READS | {"axis/sort"},
        steps=(interval_frame,),
        last_steps=(partial(first_rows, most=MOST_BARS),),
        asks=_asked,
        sorted="rows",
        log=True,
        across=True,
        rows=True,
        along=True,
    ),
    PlotType(
        word="band",
        noun="line chart with bands",
        title="Band",
        order=8.7,
        example=EXAMPLE,
        drawing=(
            '<path class="p2" d="M3 17l11-6 11 1 12-9v9l-12 8-11 0-11 6z"/><path class="l1" d="M3'
            ' 20l11-5 11 1 12-8"/>'
        ),
        draw=draw_bands,
        terminal=terminal.draw_intervals,
        tells=_tell_intervals,
        counts=_count,
        reads=READS,
        steps=(interval_frame, order_rows),
        asks=_asked,
        log=True,
        rows=True,
        along=True,
    ),
)
