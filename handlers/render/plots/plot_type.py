"""Types of plots: their properties by value of `config/type`, and the values that settings accept."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

Makes = Callable[..., Any]
"""A function that a higher layer defines, calls and types."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlotType:
    """A type of plots. Shared code tests properties of a type, never its word."""

    word: str
    noun: str
    """Name in a description."""
    title: str
    """Name in the editor."""
    order: float
    """Position in lists."""
    example: str = "place,north,south\nOslo,12,8\nBergen,15,\nTromsø,-4,14\n"
    """Data that this type can draw."""
    reads: frozenset[str] = frozenset()
    """Settings below `config` that this type reads. Folders omit files that any type names separately."""

    draw: Makes
    """Return the chart (Style, Frame, height or None, ChartOptions)."""
    terminal: Makes | None = None
    """Return the lines of text (Screen, Frame, ChartOptions)."""
    native: Makes | None = None
    """Return the native chart for slides and workbooks (ShownChart, Style).

    Without it they contain the drawing.
    """
    describes: Makes | None = None
    """Return the sentences of the description (Frame, unit)."""
    counts: Makes | None = None
    """Return the number of series for the description (Frame), if it is not the number of number columns."""
    names: Makes | None = None
    """Return the names that may have colours (Frame), if these are not the names of series or rows."""

    settle: Makes | None = None
    """Return the type adapted to settings (PlotType, config), if settings choose its steps."""
    steps: tuple[Makes, ...] = ()
    """Functions that prepare a frame for drawing, applied in order (Frame, LeftOut)."""
    asks: Makes | None = None
    """Return which columns the sent data lack: a complete sentence if it ends with a full stop."""
    lacks: Makes | None = None
    """Return what the drawn data lack."""
    dated: bool = False
    """Whether it can be drawn without numbers."""
    years: str = ""
    """When bare years are read as numbers: `always`, `unless` they are the first column, or never (empty)."""
    weeks: bool = False
    """Whether it needs years with whole weeks."""
    units: str = "noted"
    """Whether series may have several units: `noted` (reported), `free`, or `one` (draws a single series)."""
    sorted: str = ""
    """Objects that can be sorted: `rows`, their `sums` or `sets`; empty for types with a fixed order."""

    starts: Makes | None = None
    """Return the numbers by which rows without values are sorted (Frame)."""

    log: bool = False
    """Whether its marks can use a logarithmic scale."""
    from_zero: bool = False
    """Whether its marks begin at zero."""
    across: bool = False
    """Whether its values run from left to right."""
    bars: bool = False
    """Whether it has bars, whose rows may have colours."""
    lying: bool = False
    """Whether its bars are horizontal."""
    turned: bool = False
    """Whether its value axis is reversed."""
    stacked: bool = False
    """Whether its series are stacked."""
    signed: bool = False
    """Whether its marks rise or fall, and may have the colours of signs."""
    line: bool = False
    """Whether it is drawn along days, numbers or names."""
    dashes: bool = False
    """Whether its lines may be dashed from a position on."""
    binned: bool = False
    """Whether it counts numbers in bins."""
    points: bool = False
    """Whether it has points with two coordinates."""
    sized: bool = False
    """Whether the areas of its points show values."""
    rows: bool = True
    """Whether a terminal shows one line for each of its rows."""
    along: bool = False
    """Whether its description names the first and the last position along the axis."""
    table: bool = False
    """Whether it is the table, which is used for every word that is not a type."""

    @property
    def drawing(self) -> str:
        """The SVG to pick it by in the editor; if there is none, the editor suggests its word."""
        return _drawing(self.word)


@cache
def _drawing(word: str) -> str:
    path = Path(__file__).parent / "types/drawings" / f"{word}.svg"
    return path.read_text("utf-8") if path.exists() else ""


def one_of(word: str) -> str:
    """Return the word of a type with its article: a bar, an area."""
    return f"{'an' if word[:1] in 'aeiou' else 'a'} {word}"


@cache
def plot_types() -> Mapping[str, PlotType]:
    """Return all chart types by their words, in their order.

    They are imported at run time, because their modules use every layer and every layer uses this function.
    """
    types: Mapping[str, PlotType] = import_module("handlers.render.plots.types").TYPES
    return types


def type_of(word: str) -> PlotType:
    """Return the type of a word, or the table if no type has that word."""
    table: PlotType = import_module("handlers.render.plots.types").TABLE
    return plot_types().get(word, table)


@cache
def settings_read() -> frozenset[str]:
    """Return the settings that only some types read."""
    return frozenset().union(*(kind.reads for kind in plot_types().values()))


TABLES = ("table", "mtable")
CUSTOM = "custom"
CELL_COLOR = re.compile(r"\s*\S+\s+\S+\s+(?:bg|fg)\s")
"""Beginning of a line of `colors/colors` that colours table cells."""

CHOICES: Mapping[str, tuple[str, ...]] = {
    "axis/sort": ("data", "name", "value up", "value down"),
    "axis/stack": ("sum", "share"),
    "bg/type": ("paper", "none"),
    "colors/theme": ("curlew", "teal", "amber", "plum", "survey"),
    "colors/type": ("clr", "ix", "pack"),
    "combo/place": ("panel", "axis"),
    "legend/layout": ("row", "column"),
    "legend/position": ("top", "bottom"),
    "legend/type": ("auto", "direct", "key", "none"),
    "reading/dates": ("auto", "day", "month"),
    "reading/decimal": ("auto", "comma", "point"),
    "reading/header": ("first", "none"),
    "split/axes": ("shared", "own"),
    "table/size": ("small", "medium", "large", "auto"),
    "trend": ("none", "linear"),
    "value/good": ("up", "down", "none"),
    "value/labels": ("none", "ends"),
}
"""Accepted values of the settings of a plot, by their path below `config`."""
REFUSED = tuple(path for path in CHOICES if path.partition("/")[0] not in ("bg", "colors", "legend", "table"))
"""Settings for which any other value is an error. For the rest it is only noted."""


def reads_setting(word: str, path: str) -> bool:
    """Return whether a folder or file of settings below `config` affects the drawing of a type."""
    folder, kind, known = path.partition("/")[0], plot_types().get(word), settings_read()
    if folder in ("table", CUSTOM):
        return (word == CUSTOM) if folder == CUSTOM else kind is None and word != CUSTOM
    if path not in known and folder not in known:
        return word != CUSTOM
    reads = kind.reads if kind is not None else frozenset[str]()
    within = path == folder and any(one.startswith(f"{folder}/") for one in reads)
    return (path if path in known else folder) in reads or within


WORDS = frozenset(("type", "lang", "title", "subtitle", "caption", "comments"))


def list_unheeded(word: str, config: Mapping[str, str]) -> list[str]:
    """Return the non-empty settings that do not affect a type: files, or whole folders."""
    said = [path for path, text in config.items() if text.strip() and path not in WORDS]
    lost = [path for path in said if not reads_setting(word, path)]
    whole = {path for path in lost if path.startswith("axis/") or reads_setting(word, path.partition("/")[0])}
    return sorted({path if path in whole else path.partition("/")[0] for path in lost})


def heeding(path: str) -> list[str]:
    """Return the words of the types that a setting affects, one for each noun; empty for all or none."""
    first = {kind.noun: word for word, kind in reversed(list(plot_types().items()))}
    found = [word for word in plot_types() if word in first.values() and reads_setting(word, path)]
    return found if len(found) < len(first) else []
