"""Bars: sixteen types, grouped or stacked, vertical or horizontal, with an optional reversed value axis."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from handlers.render.plots.charts.bars import draw_bars
from handlers.render.plots.charts.horizontal_bars import draw_horizontal_bars
from handlers.render.plots.data.series import BarKind
from handlers.render.plots.drawn.data_steps import USUAL, sum_names
from handlers.render.plots.forms.terminal.bars import write_bars
from handlers.render.plots.plot_type import PlotType
from handlers.render.plots.shown.description import tell_greatest
from handlers.render.plots.shown.native_chart import native_bars

EXAMPLE = "place,north,south\nOslo,12,8\nBergen,15,\nTromsø,-4,14\n"
BASES = {
    "bar": ("Bars", BarKind.GROUPED),
    "gbar": ("Grouped bars", BarKind.GROUPED),
    "sbar": ("Stacked bars", BarKind.STACKED),
    "abar": ("Summed bars", BarKind.STACKED),
}
TITLES = {"hbar": "Horizontal bars"}
DRAWINGS = {
    "bar": (
        '<path class="p1" d="M4 11h6v15H4zM18 5h6v21h-6zM32 15h5v11h-5z"/><path class="p2" d="M11'
        ' 17h5v9h-5zM25 13h5v13h-5z"/>'
    ),
    "sbar": (
        '<path class="p1" d="M5 14h8v12H5zM17 11h8v15h-8zM29 17h8v9h-8z"/><path class="p2" d="M5'
        ' 7h8v6H5zM17 3h8v7h-8zM29 10h8v6h-8z"/>'
    ),
    "hbar": '<path class="p1" d="M4 3h31v5H4zM4 12h21v5H4zM4 21h12v5H4z"/>',
}
"""The types that are picked by their drawings."""


READS = frozenset(("axis", "axis/sort", "axis/ticks", "legend", "notes", "split"))


def _bars() -> Iterator[PlotType]:
    """Yield each base plain (""), horizontal (h), with a reversed value axis (i), and both (ih)."""
    for base, (title, kind) in BASES.items():
        for prefix in ("", "h", "i", "ih"):
            yield _bar(prefix + base, prefix, title, kind)


def _bar(word: str, prefix: str, title: str, kind: BarKind) -> PlotType:
    """Return one type of bars."""
    lying, turned, stacked = "h" in prefix, "i" in prefix, kind is BarKind.STACKED
    draw = draw_horizontal_bars if lying else draw_bars
    added = (partial(sum_names, told=False),) if word.endswith("abar") else ()
    said = f"{title}{', horizontal' if lying else ''}{', reversed' if turned else ''}"
    return PlotType(
        word=word,
        noun="stacked bar chart" if stacked else "bar chart",
        title=TITLES.get(word, said),
        order=1,
        example=EXAMPLE,
        drawing=DRAWINGS.get(word, ""),
        draw=lambda style, frame, box, options: draw(style, frame, box, kind, options, reverse=turned),
        terminal=partial(write_bars, stacked=stacked),
        tells=tell_greatest,
        native=native_bars,
        reads=READS
        | (frozenset() if lying else {"combo"})
        | ({"axis/stack"} if stacked else frozenset())
        | ({"value/labels"} if stacked and not turned else frozenset()),
        steps=(*USUAL, *added),
        sorted="sums" if stacked else "rows",
        from_zero=True,
        bars=True,
        lying=lying,
        turned=turned,
        stacked=stacked,
        along=True,
    )


TYPES = tuple(_bars())
