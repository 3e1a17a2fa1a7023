"""Type of plots: everything that one value of `config/type` means, as a file of `types` declares it."""

from __future__ import annotations

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

    settle: Makes | None = None
    """Makes the type that settings ask for (PlotType, config), where they choose its steps."""
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
    sorted: str = "axis"
    """What is sorted: `rows`, their `sums` or `sets`; or whose order stays: of `axis` or `parts`."""

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
    rows: bool = False
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
