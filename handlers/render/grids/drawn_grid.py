"""A grid to draw: its boxes, their bindings, its look and the parts of its cells."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from chains.language import layout, mapping
from chains.language.layout import BoxKind, LayoutBox
from chains.language.mapping import Binding, PlotOptions
from chains.language.mistake import Mistake
from handlers.render.plots.look.style import LEAST_LETTER

NO_LAYOUT = "No layout yet. Draw boxes with +, - and | in the file layout, such as {A} in a box."
TERMINAL_FORMS = ("txt", "ansi")
_BLANK = LayoutBox(BoxKind.CELL, 60, 10)
_PLAIN = PlotOptions()
PHONE, PHONE_LETTER = 420, 13
"""Largest width of a picture for phones, and its smallest font size, in pixels."""


@dataclass(frozen=True, slots=True)
class DrawnGrid:
    """The boxes of a grid and its bindings by label; `fault` is why there are no boxes."""

    box: LayoutBox
    bindings: Mapping[str, Binding]
    fault: str = ""

    def options(self, label: str) -> PlotOptions:
        """Return the options that a label's plot is shown with."""
        return self.bindings[label].options if label in self.bindings else _PLAIN


@dataclass(frozen=True, slots=True)
class GridLook:
    """The options of a grid's picture or text.

    `width` and `height` are pixels or, for terminals, columns and rows; a height of None is as drawn. `least`
    is the smallest font size in pixels; `stacked` puts the cells one below the other, as in a picture of
    phone width without a given height.
    """

    mode: str = "light"
    width: int = 1200
    height: int | None = None
    transparent: bool = False
    least: int = LEAST_LETTER
    stacked: bool = False


@dataclass(frozen=True, slots=True)
class GridParts:
    """Content of cells by their numbers in reading order.

    `contents` are SVG documents or texts, `reasons` say why there is none, and `needs` are the heights of
    cells in floating stacks, in the units of the picture.
    """

    contents: Mapping[int, str] = field(default_factory=dict)
    reasons: Mapping[int, str] = field(default_factory=dict)
    needs: Mapping[int, float] = field(default_factory=dict)


def grid_look(form: str, options: Mapping[str, str | int | bool]) -> GridLook:
    """Return the look that a form of a grid has with these options, within the limits of drawing."""
    mode = "dark" if options.get("mode") == "dark" else "light"
    if form in TERMINAL_FORMS:
        columns, rows = int(options.get("cols", 80)), int(options.get("rows", 0))
        return GridLook(mode, _within(columns, 20, 400), _within(rows, 6, 200) if rows else None)
    width, height = int(options.get("width", 1200)), int(options.get("height", 0))
    transparent = bool(options.get("transparent_background", False))
    stacked = bool(options.get("stacked", False)) or (width <= PHONE and not height)
    smallest = PHONE_LETTER if stacked else LEAST_LETTER
    least = _within(int(options.get("least", smallest)), LEAST_LETTER, 40)
    high = _within(height, 60, 4000) if height else None
    return GridLook(mode, _within(width, 120, 4000), high, transparent, least, stacked)


def _within(value: int, low: int, high: int) -> int:
    return max(low, min(high, value))


def read_grid(layout_text: str, mapping_text: str) -> DrawnGrid:
    """Parse the grid of two texts; an invalid one, stored before checks existed, is empty with a note."""
    fault = NO_LAYOUT
    try:
        box = layout.parse(layout_text)
    except Mistake as mistake:
        box, fault = None, f"The layout cannot be read: {mistake.detail}"
    try:
        bindings = mapping.parse(mapping_text)
    except Mistake:
        bindings = {}
    return DrawnGrid(_BLANK, {}, fault) if box is None else DrawnGrid(box, bindings)
