"""Shares of a whole: pies and rings."""

from __future__ import annotations

from functools import partial

from handlers.render.plots.charts.shares import draw_shares
from handlers.render.plots.data.frame import Frame
from handlers.render.plots.drawn.data_steps import USUAL, parts, single
from handlers.render.plots.forms.terminal import bars as terminal
from handlers.render.plots.plot_type import PlotType
from handlers.render.plots.shown.description import LONGEST, range_words
from handlers.render.plots.shown.native_chart import native_shares


def _tell_shares(frame: Frame, unit: str) -> list[str]:
    """The largest part and its share."""
    known = [(value, name) for value, name in zip(frame.series[0].numbers, frame.categories, strict=True)]
    parts = [(value, name) for value, name in known if value is not None and value > 0]
    if not parts:
        return []
    value, name = max(parts, key=lambda pair: pair[0])
    total = sum(part for part, _ in parts)
    values = f"values {range_words([part for part, _ in parts], unit)}"
    return [values, f"largest share {name[:LONGEST]} with {value / total:.0%}"]


def lacks_positive(frame: Frame) -> str:
    """Tell that a value above zero is missing."""
    return "" if any(value and value > 0 for value in frame.series[0].numbers) else "a value above 0"


def _shares(word: str, noun: str, title: str, order: float, drawing: str) -> PlotType:
    """A pie or a ring."""
    ring = word == "donut"
    return PlotType(
        word=word,
        noun=noun,
        title=title,
        order=order,
        example="place,votes\nOslo,12\nBergen,15\nTromsø,4\n",
        drawing=drawing,
        draw=partial(draw_shares, ring=ring),
        terminal=partial(terminal.draw_parts, ring=ring),
        tells=_tell_shares,
        native=partial(native_shares, ring=ring),
        reads=frozenset(("value",)),
        steps=(*USUAL, single, parts),
        lacks=lacks_positive,
        units="one",
        sorted="parts",
        parts=True,
        rows=True,
    )


TYPES = (
    _shares(
        "pie", "pie chart", "Pie", 5.1,
        (
            '<circle class="p2" cx="20" cy="14" r="12"/><path class="p1" d="M20 14V2a12 12 0 0 1 8'
            ' 21z"/>'
        ),
    ),
    _shares(
        "donut", "ring chart", "Ring", 5.2,
        (
            '<circle class="l2 fat" cx="20" cy="14" r="9.5"/><path class="l1 fat" d="M20 4.5a9.5 9.5'
            ' 0 0 1 6.5 16.4"/>'
        ),
    ),
)  # fmt: skip
