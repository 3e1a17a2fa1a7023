"""Type of plots: everything that one value of `config/type` means, and the words of its settings."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any

Makes = Callable[..., Any]
"""A function of a layer above this module, which is called there and typed there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlotType:
    """A type of plots. Shared code asks what a type is like, and never which one it is."""

    word: str
    noun: str
    """What it is called in a description."""
    title: str
    """What it is called in the editor."""
    drawing: str = ""
    """Elements of an SVG of 40 by 28 pixels, by which it is picked; the word of one without is suggested."""
    order: float
    """Its place in lists."""
    example: str
    """Data that it draws."""
    reads: frozenset[str] = frozenset()
    """Settings below `config` that draw it: files, or folders with all files that no type names apart."""

    draw: Makes
    """Makes its chart (Style, Frame, height or None, ChartOptions)."""
    terminal: Makes | None = None
    """Makes its lines of text (Screen, Frame, ChartOptions)."""
    native: Makes | None = None
    """Makes its chart for slides and workbooks (ShownChart, Style), which have the drawing without it."""
    tells: Makes | None = None
    """Makes the sentences of its description (Frame, unit)."""
    counts: Makes | None = None
    """Counts the series of its description (Frame), where these are not the columns of numbers."""
    names: Makes | None = None
    """Gives the names that may have colours (Frame), where these are not those of its series or rows."""

    steps: tuple[Makes, ...] = ()
    """Make what is drawn of a frame, one after the other (Frame, LeftOut)."""
    asks: Makes | None = None
    """Tells which columns it does not find in the data as they were sent; a full stop ends what tells all."""
    lacks: Makes | None = None
    """Tells what it does not find in what is drawn."""
    dated: bool = False
    """Needs no numbers."""
    years: str = ""
    """Takes bare years as numbers: `always`, `unless` they are the first column, or never."""
    weeks: bool = False
    """Needs years with whole weeks."""
    units: str = "told"
    """Several units of its series: are `told`, are `free`, or cannot be, as it draws `one` series."""
    sorted: str = ""
    """What is sorted: `rows`, their `sums` or `sets`; other types have an order of their own."""

    starts: Makes | None = None
    """Gives the numbers by which rows without values are sorted (Frame)."""

    log: bool = False
    """A logarithmic scale can measure its marks."""
    from_zero: bool = False
    """Its marks begin at zero."""
    across: bool = False
    """Its values run from left to right."""
    bars: bool = False
    """It has bars, whose rows may have colours."""
    lying: bool = False
    """Its bars lie."""
    turned: bool = False
    """Its value axis runs the other way."""
    stacked: bool = False
    """Its series lie upon each other."""
    signed: bool = False
    """Its marks rise or fall, and may have the colours of signs."""
    parts: bool = False
    """It has parts, whose names may have colours."""
    line: bool = False
    """It runs along days, numbers or names."""
    dashes: bool = False
    """Its lines may be dashed from a place on."""
    binned: bool = False
    """It counts numbers in bins."""
    points: bool = False
    """It has points at two numbers."""
    sized: bool = False
    """Its points have areas."""
    rows: bool = True
    """A terminal has a line for each of its rows."""
    along: bool = False
    """Its description says from where to where it runs."""
    table: bool = False
    """It is the table, which stands for every word that is no type."""

    @property
    def named(self) -> str:
        """Return its word behind an article: a bar, an area."""
        return one_of(self.word)


def one_of(word: str) -> str:
    """Return the word of a type behind its article: a bar, an area."""
    return f"{'an' if word[:1] in 'aeiou' else 'a'} {word}"


@cache
def plot_types() -> Mapping[str, PlotType]:
    """Return all types that are drawn as charts, by their words, in their order.

    They are found at run time, as their files use every layer, and every layer asks for types.
    """
    types: Mapping[str, PlotType] = import_module("handlers.render.plots.types").TYPES
    return types


def type_of(word: str) -> PlotType:
    """Return the type of a word, and the table for a word that names none."""
    table: PlotType = import_module("handlers.render.plots.types").TABLE
    return plot_types().get(word, table)


@cache
def settings_read() -> frozenset[str]:
    """Return the settings that some type reads, and so not every one does."""
    return frozenset().union(*(kind.reads for kind in plot_types().values()))


TABLES = ("table", "mtable")
CUSTOM = "custom"
CELL_COLOR = re.compile(r"\s*\S+\s+\S+\s+(?:bg|fg)\s")
"""The beginning of a line of `colors/colors` that colours cells of a table."""

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
    "split/axes": ("shared", "own"),
    "table/size": ("small", "medium", "large", "auto"),
    "trend": ("none", "linear"),
    "value/good": ("up", "down", "none"),
    "value/labels": ("none", "ends"),
}
"""The words that settings of a plot take, by their path below `config`."""
REFUSED = ("axis/sort", "axis/stack", "combo/place", "split/axes", "trend", "value/good", "value/labels")
"""Those of them that are refused with another word; that of the others is noted."""


def heeds(word: str, path: str) -> bool:
    """Return whether a plot of that type is drawn by a folder or a file of settings below `config`."""
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
    """Settings that say something and have no say in the drawing of a type: files, or folders of many."""
    said = [path for path, text in config.items() if text.strip() and path not in WORDS]
    lost = [path for path in said if not heeds(word, path)]
    whole = {path for path in lost if path.startswith("axis/") or heeds(word, path.partition("/")[0])}
    return sorted({path if path in whole else path.partition("/")[0] for path in lost})


def heeding(path: str) -> list[str]:
    """The words of types that a setting has a say in, one of each kind; none where all have, or no chart."""
    first = {kind.noun: word for word, kind in reversed(list(plot_types().items()))}
    found = [word for word in plot_types() if word in first.values() and heeds(word, path)]
    return found if len(found) < len(first) else []
