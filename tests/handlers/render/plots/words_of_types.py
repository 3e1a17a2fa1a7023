"""Words of types as users see them, written a second time, so that a type without tests is found."""

from __future__ import annotations

from handlers.render.plots.types import TYPES

BARS = tuple(prefix + word for word in ("bar", "gbar", "sbar", "abar") for prefix in ("", "h", "i", "ih"))
LINES = ("line", "step", "area", "sarea")
POINTS = ("scatter", "bubble")
DISTRIBUTIONS = ("hist", "box", "strip")
SHARES = ("pie", "donut")
FIGURES = ("spark", "value")
DOTS = ("dot", "lollipop", "dumbbell", "range")
INTERVALS = ("errorbar", "band")
RANGES = (*DOTS, "slope", *INTERVALS)
PARTS = ("waterfall", "treemap", "funnel", "pyramid")
SPANS = ("gantt",)
COLUMNED = ("candlestick", "sankey", "bullet")
"""Types whose columns have special names."""
MAPS = ("choropleth", "symbolmap")
NATIVE = frozenset((*BARS, "line", "area", "sarea", *SHARES, *POINTS))
ON_A_LOG_SCALE = frozenset(
    ("line", "step", "scatter", "bubble", "box", "dot", "dumbbell", "range", "slope", "strip", *INTERVALS)
)


def reading(setting: str) -> frozenset[str]:
    """Return the words of the types that read a setting."""
    return frozenset(word for word, kind in TYPES.items() if setting in kind.reads)
