"""A grid to draw: its boxes, look and parts; cells have exact shares, and stacks follow their content."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate

from chains.language import layout, mapping
from chains.language.layout import BoxKind, LayoutBox, walk
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

    `width` and `height` are pixels or, for terminals, columns and rows; without a height, the proportions of
    the layout decide. `least` is the smallest font size in pixels. `stacked` puts the cells one below the
    other, which is the default for pictures of phone width without a height.
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
    """Return the look of a form of a grid with these options, limited to the sizes that can be drawn."""
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
    """Parse a grid from its layout and mapping; an invalid one, stored before checks existed, is empty."""
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


LOWEST, HIGHEST = 0.4, 0.75
"""Least and greatest height of a cell in a stack, as multiples of its width."""
ROW_UNITS = 2.0
"""Height of a row of the layout as a multiple of a column's width, as in terminals."""

Area = tuple[float, float, float, float]
"""Left, top, width and height of a box."""


@dataclass(frozen=True, slots=True)
class PlacedCell:
    """A cell in the picture, with its box in the picture's units of length.

    `number` counts in reading order, an empty `label` shows nothing, and `floating` is whether the cell is in
    a floating stack.
    """

    number: int
    label: str
    position: str
    x: float
    y: float
    width: float
    height: float
    floating: bool

    @property
    def area(self) -> Area:
        """The box in the picture."""
        return self.x, self.y, self.width, self.height


@dataclass(frozen=True, slots=True)
class Placement:
    """All cells of a grid in reading order, and the size of the whole."""

    width: float
    height: float
    cells: tuple[PlacedCell, ...]


def place(
    box: LayoutBox, width: float, height: float | None = None, needs: Mapping[int, float] | None = None
) -> Placement:
    """Return the cells of a grid in a width, in the proportions of its layout unless a height is given.

    `needs` are the heights, by cell number, that cells in floating stacks need; the others share the rest.
    """
    high = box.height * width / box.width * ROW_UNITS if height is None else height
    needed = _needs(box, needs) if needs else {}
    cells: list[PlacedCell] = []
    waiting: list[tuple[LayoutBox, Area, bool]] = [(box, (0.0, 0.0, width, high), False)]
    while waiting:
        one, area, floating = waiting.pop()
        if one.children:
            parts = zip(one.children, _areas(one, area, needed), strict=True)
            waiting += [(child, part, floating or one.floating) for child, part in reversed(list(parts))]
        else:
            said = one.instruction
            label, position = (said.label, said.position) if said else ("", "middle")
            cells.append(PlacedCell(len(cells), label, position, *area, floating))
    return Placement(width, high, tuple(cells))


def place_stacked(box: LayoutBox, width: float) -> Placement:
    """Return the cells one below the other in reading order, in the proportions of charts.

    Narrow cells are one below the other, too, because a phone has no room for them side by side.
    """
    drawn = place(box, width)
    heights = {
        cell.number: width * min(max(cell.height / cell.width, LOWEST), HIGHEST) for cell in drawn.cells
    }
    cells = tuple(replace(cell, x=0.0, width=width, floating=True) for cell in drawn.cells)
    return stacked_again(Placement(width, 0.0, cells), heights)


def stacked_again(placement: Placement, needs: Mapping[int, float]) -> Placement:
    """Return a stack whose cells have the heights in `needs`, by their numbers, or keep their own."""
    cells, top = list[PlacedCell](), 0.0
    for cell in placement.cells:
        high = needs.get(cell.number, cell.height)
        cells.append(replace(cell, y=top, height=high))
        top += high
    return Placement(placement.width, top, tuple(cells))


def redistribute(heights: Sequence[float], needs: Sequence[float | None]) -> list[float]:
    """Return the heights of a floating stack, packed from its top.

    Height that cells do not need goes first to cells that need more, then to those without a need (None), in
    proportion to their heights.
    """
    known = [(high, need) for high, need in zip(heights, needs, strict=True) if need is not None]
    spare = sum(max(0.0, high - need) for high, need in known)
    missing = sum(max(0.0, need - high) for high, need in known)
    given = min(1.0, spare / missing) if missing else 0.0
    elastic = sum(high for high, need in zip(heights, needs, strict=True) if need is None)
    growth = 1 + max(0.0, spare - missing) / elastic if elastic else 1.0
    return [
        high * growth if need is None else need if need <= high else high + (need - high) * given
        for high, need in zip(heights, needs, strict=True)
    ]


def _areas(box: LayoutBox, area: Area, needed: Mapping[int, float | None]) -> Iterable[Area]:
    """Yield the areas of a box's children, side by side or one below the other."""
    x, y, width, height = area
    if box.kind is BoxKind.ROW:
        starts = _starts(child.width for child in box.children)
        return [
            (x + width * start / box.width, y, width * child.width / box.width, height)
            for start, child in zip(starts, box.children, strict=True)
        ]
    shares = [height * child.height / box.height for child in box.children]
    if box.floating and needed:
        shares = redistribute(shares, [needed.get(id(child)) for child in box.children])
        return [(x, y + start, width, share) for start, share in zip(_starts(shares), shares, strict=True)]
    starts = _starts(child.height for child in box.children)
    return [
        (x, y + height * start / box.height, width, share)
        for start, share in zip(starts, shares, strict=True)
    ]


def _needs(box: LayoutBox, heights: Mapping[int, float]) -> dict[int, float | None]:
    """Return the height that each box needs, by its `id`; None if a part of it takes any height."""
    boxes = list(walk(box))
    numbers = {id(cell): number for number, cell in enumerate(one for one in boxes if not one.children)}
    needs: dict[int, float | None] = {}
    for one in reversed(boxes):
        inner = [need for child in one.children if (need := needs[id(child)]) is not None]
        if not one.children:
            needs[id(one)] = heights.get(numbers[id(one)])
        elif len(inner) < len(one.children):
            needs[id(one)] = None
        elif one.kind is BoxKind.ROW:
            needs[id(one)] = max(inner)
        else:
            needs[id(one)] = sum(inner) if one.floating else _enough(one, inner)
    return needs


def _enough(box: LayoutBox, needs: Sequence[float]) -> float:
    """Return the least height at which the fixed share of each child is as high as the child needs."""
    return max(need * box.height / child.height for need, child in zip(needs, box.children, strict=True))


def _starts(sizes: Iterable[float]) -> list[float]:
    return [0.0, *accumulate(sizes)][:-1]
