"""Words of a plot's settings: the types that draw, and which folders of settings each type heeds."""

from __future__ import annotations

import re
from collections.abc import Mapping

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
WITH_TRENDS = frozenset(("line", "step", "area", *POINTS))
"""Types that have straight lines through their values."""
SORTED_ROWS = frozenset((*BARS, *DOTS, "heatmap", "errorbar", "funnel", "pyramid"))
SORTED = frozenset((*SORTED_ROWS, "box", "strip", "gantt"))
"""Types whose rows, sets or tasks are sorted."""
WITH_AXES = frozenset((*BARS, *LINES, *POINTS, *DISTRIBUTIONS, *RANGES, "waterfall", "pyramid"))
VALUES_ACROSS = frozenset(("box", "strip", *DOTS, "errorbar", "waterfall", "pyramid"))
"""Types that are no bars and whose values run from left to right, so that rows go along the upright axis."""
WITH_KEY = frozenset(
    (
        *BARS, *LINES, *POINTS, "box", *MATRICES, "dot", "dumbbell", "slope", *INTERVALS,
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
    "axis/sort": SORTED,
    "axis/stack": STACKED,
    "axis/ticks": WITH_AXES - {"slope"},
    "combo": STANDING,
    "custom": frozenset((CUSTOM,)),
    "legend": WITH_KEY,
    "notes": WITH_NOTES,
    "split": WITH_PANELS,
    "trend": WITH_TRENDS,
    "value": frozenset((*FIGURES, *SHARES)),
    **dict.fromkeys(("value/against", "value/good", "value/than"), frozenset(("value",))),
}
"""Types that are drawn by the settings of a folder below `config`, or by a file there."""


def one_of(word: str) -> str:
    """The word of a type behind its article: a bar, an area."""
    return f"{'an' if word[:1] in 'aeiou' else 'a'} {word}"


def heeds(word: str, path: str) -> bool:
    """Whether a plot of that type is drawn by a folder or a file of settings below `config`."""
    folder = path.partition("/")[0]
    if folder == "table":
        return word not in DRAWN and word != CUSTOM
    within = (types for one, types in HEEDING.items() if path == folder and one.startswith(f"{folder}/"))
    known = HEEDING.get(path, HEEDING.get(folder))
    if known is None:
        return word != CUSTOM
    return word in known or any(word in types for types in within)


TOLD = frozenset(
    ("notes", "trend", "split/by", "combo/line", "axis/sort", "axis/stack", "axis/scale", "axis/domains")
)
"""Settings of which charts tell in words of their own that they cannot heed them."""
WORDS = frozenset(("type", "title", "subtitle", "caption", "comments"))


def list_unheeded(word: str, config: Mapping[str, str]) -> list[str]:
    """Settings that say something and have no say in the drawing of a type: files, or folders of many."""
    said = [path for path, text in config.items() if text.strip() and path not in WORDS]
    lost = [path for path in said if not heeds(word, path)]
    told = [path for path in lost if path not in TOLD or word not in DRAWN]
    whole = {path for path in told if path.startswith("axis/") or heeds(word, path.partition("/")[0])}
    return sorted({path if path in whole else path.partition("/")[0] for path in told})
