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

PACKS = ("curlew", "teal", "amber", "plum")
KEY_TYPES = ("auto", "direct", "key", "none")
KEY_POSITIONS = ("top", "bottom")
KEY_LAYOUTS = ("row", "column")
COLOR_TYPES = ("clr", "ix", "pack")
GROUND_TYPES = ("paper", "none")
TABLE_SIZES = ("small", "medium", "large", "auto")
SCALES = ("linear", "log")


def heeds(word: str, folder: str) -> bool:
    """Whether a plot of that type is drawn by the settings of a folder below `config`."""
    match folder:
        case "axis":
            return word in WITH_AXES
        case "legend":
            return word in WITH_KEY
        case "table":
            return word not in DRAWN and word != CUSTOM
        case "custom":
            return word == CUSTOM
    return word != CUSTOM
