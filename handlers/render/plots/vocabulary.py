"""Words of a plot's settings: the types that draw, and which folders of settings each type heeds."""

from __future__ import annotations

import re

BARS = tuple(prefix + word for word in ("bar", "gbar", "sbar", "abar") for prefix in ("", "h", "i", "ih"))
LINES = ("line", "step", "area", "sarea")
POINTS = ("scatter", "bubble")
DISTRIBUTIONS = ("hist", "box", "strip")
SHARES = ("pie", "donut")
MATRICES = ("heatmap", "calendar")
FIGURES = ("spark", "value")
DOTS = ("dot", "lollipop", "dumbbell", "range")
INTERVALS = ("errorbar", "band")
RANGES = (*DOTS, "slope", *INTERVALS)
PARTS = ("waterfall", "treemap", "funnel", "pyramid")
SPANS = ("gantt",)
MAPS = ("choropleth", "symbolmap")
DRAWN = (*BARS, *LINES, *POINTS, *DISTRIBUTIONS, *SHARES, *MATRICES, *FIGURES, *RANGES, *PARTS, *SPANS, *MAPS)
"""The types that are drawn as charts; any other word is drawn as a table."""
TABLES = ("table", "mtable")
CUSTOM = "custom"
STANDING = frozenset(word for word in BARS if not word.startswith(("h", "ih")))
"""Types of bars over which lines may run."""
STACKED = frozenset((*(word for word in BARS if word.endswith(("sbar", "abar"))), "sarea"))
"""Types that pile their series up."""
WITH_NOTES = frozenset((*BARS, *LINES, *POINTS))
"""Types that have places for notes, lines and bands."""
WITH_PANELS = WITH_NOTES
"""Types that are split into panels."""
WITH_AXES = frozenset((*BARS, *LINES, *POINTS, *DISTRIBUTIONS, *RANGES, "waterfall", "pyramid"))
WITH_KEY = frozenset(
    (
        *BARS, *LINES, "bubble", "box", *MATRICES, "dot", "dumbbell", "slope", *INTERVALS,
        "waterfall", "treemap", "gantt", "strip", *MAPS,
    )
)  # fmt: skip
ON_A_LOG_SCALE = frozenset(
    ("line", "step", "scatter", "bubble", "box", "dot", "dumbbell", "range", "slope", "strip", *INTERVALS)
)
"""Types whose marks do not begin at zero, so that a scale without a zero can carry them."""

CELL_COLOR = re.compile(r"\s*\S+\s+\S+\s+(?:bg|fg)\s")
"""The beginning of a line of `colors/colors` that colours cells of a table."""

PACKS = ("curlew", "teal", "amber", "plum", "survey")
KEY_TYPES = ("auto", "direct", "key", "none")
KEY_POSITIONS = ("top", "bottom")
KEY_LAYOUTS = ("row", "column")
COLOR_TYPES = ("clr", "ix", "pack")
GROUND_TYPES = ("paper", "none")
TABLE_SIZES = ("small", "medium", "large", "auto")
SCALES = ("linear", "log")


HEEDING = {
    "axis": WITH_AXES,
    "combo": STANDING,
    "custom": frozenset((CUSTOM,)),
    "legend": WITH_KEY,
    "notes": WITH_NOTES,
    "split": WITH_PANELS,
    "value": frozenset((*FIGURES, *SHARES)),
}
"""Types that are drawn by the settings of a folder below `config`, or by a file there."""


def heeds(word: str, folder: str) -> bool:
    """Whether a plot of that type is drawn by the settings of a folder below `config`."""
    if folder == "table":
        return word not in DRAWN and word != CUSTOM
    return word in HEEDING[folder] if folder in HEEDING else word != CUSTOM
