"""Plots in the cells of a grid: their font sizes, their own sizes, and the heights of floating stacks."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from chains.language.mapping import PlotOptions
from handlers.render.grids.placement import (
    DrawnGrid,
    GridLook,
    GridParts,
    PlacedCell,
    Placement,
    place,
    place_stacked,
    stacked_again,
)
from handlers.render.plots.charts.sheet import head_height
from handlers.render.plots.look.style import NARROWEST, WIDEST, style_of, typical_width

FIGURE = "value"
MANY, MOST_OF_MANY = 3, 759
"""From this number of cells on, the font size is at most that of a picture of this width in pixels."""


@dataclass(frozen=True, slots=True)
class CellWords:
    """The titles of a cell's plot, if they are shown, and its type."""

    title: str = ""
    subtitle: str = ""
    type: str = ""


@dataclass(frozen=True, slots=True)
class CellScale:
    """The picture width that sets a plot's font size, the height of its titles, and if it is centred."""

    type_width: int = 0
    head: int = 0
    centred: bool = False


USUAL_LOOK = CellScale()
SizeOf = Callable[[PlacedCell], tuple[int, int]]


def cell_looks(
    grid: DrawnGrid,
    look: GridLook,
    cells: Sequence[PlacedCell],
    numbers: Sequence[int],
    words: Mapping[int, CellWords],
    size_of: SizeOf,
) -> Mapping[int, CellScale]:
    """Return the scales of the cells with these numbers; `size_of` is the size of a cell's plot."""
    shown = [cells[number] for number in numbers]
    if not shown:
        return {}
    type_width = _typical(shown, words, size_of)
    headed = {cell.number: grid.options(cell.label).include_header for cell in shown}
    heights: dict[tuple[int, bool], int] = {}
    for cell in shown:
        said = words.get(cell.number, CellWords())
        if headed[cell.number] and (said.title or said.subtitle):
            style = style_of(size_of(cell)[0], look.mode, type_width=type_width, least=look.least)
            row = round(cell.y), said.type == FIGURE
            heights[row] = max(heights.get(row, 0), head_height(style, said.title, said.subtitle))
    return {
        cell.number: CellScale(
            type_width,
            heights.get((round(cell.y), words.get(cell.number, CellWords()).type == FIGURE), 0)
            * headed[cell.number],
            headed[cell.number] and cell.position == "middle" and not cell.floating,
        )
        for cell in shown
    }


def _typical(shown: Sequence[PlacedCell], words: Mapping[int, CellWords], size_of: SizeOf) -> int:
    """Return the picture width that sets the font size: that of the median chart, single figures aside."""
    charts = [cell for cell in shown if words.get(cell.number, CellWords()).type != FIGURE] or shown
    sizes = sorted(typical_width(*size_of(cell)) for cell in charts)
    typical = sizes[(len(sizes) - 1) // 2]
    return typical if len(shown) < MANY else min(typical, MOST_OF_MANY)


TALLEST = 12_000
"""Greatest height in pixels: the cells of a higher drawing are compressed in height to fit."""
MOST_ROWS = 1_000
TOLERANCE = 0.04
"""Share of a cell's height by which a plot may differ from the cell."""
GUTTERS = ((520, 4.0), (900, 6.0))
WIDEST_GUTTER = 8.0
NO_PADDING = 14
"""Columns below which a cell of a terminal has no padding at its sides."""
_SIZE = re.compile(r'<svg\b[^<>]*?\bwidth="([\d.]+)" height="([\d.]+)"')

Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class CellOrder:
    """A plot to draw for a cell; without a height the plot chooses it."""

    number: int
    label: str
    width: int
    height: int | None
    look: CellScale = USUAL_LOOK


Draw = Callable[[Sequence[CellOrder]], Mapping[int, str]]


NO_WORDS: Mapping[int, CellWords] = {}


def fill_cells(
    grid: DrawnGrid,
    medium: CellMedium,
    numbers: Sequence[int],
    draw: Draw,
    words: Mapping[int, CellWords] = NO_WORDS,
) -> GridParts:
    """Return the plots of the cells with these numbers, drawn in at most three rounds.

    `words` are the titles that are known. A plot in a floating stack whose height differs from the
    offered one is drawn in its own height. Then the stacks are laid out again, and changed cells drawn again.
    """
    cells = medium.place(grid).cells
    looks = medium.looks(grid, cells, numbers, words)
    orders = [_order(grid, medium, cells[number], looks) for number in numbers]
    if medium.own_heights:
        drawn = dict(draw([replace(order, height=None) for order in orders]))
        return GridParts(drawn, needs={n: medium.cell_height(cells[n], part) for n, part in drawn.items()})
    drawn = dict(draw(orders))
    shares = {
        number: medium.cell_height(cells[number], part) / cells[number].height
        for number, part in drawn.items()
    }
    own = [n for n, share in shares.items() if abs(share - 1) > TOLERANCE and cells[n].floating]
    again = draw([replace(_order(grid, medium, cells[number], looks), height=None) for number in own])
    needs = {number: medium.cell_height(cells[number], again[number]) for number in own if number in again}
    if not needs:
        return GridParts(drawn)
    moved = medium.place(grid, needs).cells
    suited = {number for number, need in needs.items() if need <= moved[number].height * (1 + TOLERANCE)}
    drawn |= {number: again[number] for number in suited}
    wanted = {
        number: _order(grid, medium, moved[number], looks) for number in drawn if cells[number].floating
    }
    changed = [
        order
        for number, order in wanted.items()
        if number not in suited and order != _order(grid, medium, cells[number], looks)
    ]
    return GridParts(drawn | dict(draw(changed)), needs=needs)


def _order(
    grid: DrawnGrid, medium: CellMedium, cell: PlacedCell, looks: Mapping[int, CellScale]
) -> CellOrder:
    width, height = medium.order(cell, grid.options(cell.label))
    return CellOrder(cell.number, cell.label, width, height, looks.get(cell.number, USUAL_LOOK))


@dataclass(frozen=True, slots=True)
class PixelCells:
    """Sizes in pixels of a picture."""

    look: GridLook

    @property
    def own_heights(self) -> bool:
        """Whether plots choose their heights: only if cells are one below the other."""
        return self.look.stacked

    def place(self, grid: DrawnGrid, needs: Mapping[int, float] | None = None) -> Placement:
        """Return the cells of a picture, in the width of the look."""
        if self.look.stacked:
            stack = place_stacked(grid.box, self.look.width)
            return stacked_again(stack, needs) if needs else stack
        height = self.look.height
        drawn = place(grid.box, self.look.width, height, needs)
        return drawn if drawn.height <= TALLEST else place(grid.box, self.look.width, TALLEST, needs)

    def order(self, cell: PlacedCell, options: PlotOptions) -> tuple[int, int]:
        """Return the size at which a plot is drawn: that of its cell, or a smaller one to be enlarged."""
        _, _, width, height = self.plot_box(cell)
        wide = min(WIDEST, max(NARROWEST, round(width / (options.scale or 1))))
        return wide, max(1, min(WIDEST, round(height * wide / width)))

    def looks(
        self,
        grid: DrawnGrid,
        cells: Sequence[PlacedCell],
        numbers: Sequence[int],
        words: Mapping[int, CellWords],
    ) -> Mapping[int, CellScale]:
        """Return scales with one font size for all plots, and titles of one height in each row."""

        def size_of(cell: PlacedCell) -> tuple[int, int]:
            return self.order(cell, grid.options(cell.label))

        return cell_looks(grid, self.look, cells, numbers, words, size_of)

    def cell_height(self, cell: PlacedCell, part: str) -> float:
        """Return the height of the cell when the picture is as wide as the cell."""
        _, _, width, height = self.plot_box(cell)
        size = svg_size(part)
        return size[1] * width / size[0] + cell.height - height if size else cell.height

    def plot_box(self, cell: PlacedCell) -> Box:
        """Return the box of a cell's plot: the cell without its padding, which is wider in wide pictures."""
        gutter = next((air for limit, air in GUTTERS if self.look.width < limit), WIDEST_GUTTER)
        air = min(gutter, cell.width / 8, cell.height / 8)
        return cell.x + air, cell.y + air, cell.width - 2 * air, cell.height - 2 * air


@dataclass(frozen=True, slots=True)
class CharacterCells:
    """Sizes in columns and rows of a terminal, whose cells have borders of one character."""

    look: GridLook

    @property
    def own_heights(self) -> bool:
        """Whether plots choose their heights: never in a terminal."""
        return False

    def place(self, grid: DrawnGrid, needs: Mapping[int, float] | None = None) -> Placement:
        """Return the cells of a text, in the columns of the look, including the borders."""
        width = self.look.width - 1
        high = self.look.height or round(grid.box.height * width / grid.box.width) + 1
        return place(grid.box, width, max(2, min(MOST_ROWS, high) - 1), needs)

    def order(self, cell: PlacedCell, options: PlotOptions) -> tuple[int, int]:
        """Return the columns and rows between the borders of a cell."""
        _, _, width, height = self.plot_box(cell)
        return width, height

    def looks(
        self,
        grid: DrawnGrid,
        cells: Sequence[PlacedCell],
        numbers: Sequence[int],
        words: Mapping[int, CellWords],
    ) -> Mapping[int, CellScale]:
        """Return no scales, because all text of a terminal has one size."""
        return {}

    def cell_height(self, cell: PlacedCell, part: str) -> float:
        """Return the number of lines of a text and of the border below it."""
        return part.rstrip("\n").count("\n") + 2

    def plot_box(self, cell: PlacedCell) -> tuple[int, int, int, int]:
        """Return the left column, the top row, and the number of columns and rows of a cell's text."""
        left, top = round(cell.x) + 1, round(cell.y) + 1
        width = max(0, round(cell.x + cell.width) - left)
        air = 1 if width >= NO_PADDING else 0
        return left + air, top, width - 2 * air, max(0, round(cell.y + cell.height) - top)


CellMedium = PixelCells | CharacterCells
"""Sizes of plots in cells, in pixels or in characters."""


def svg_size(svg: str) -> tuple[float, float] | None:
    """Return the width and height of an SVG document of this server; None if it has none."""
    found = _SIZE.search(svg[:2000])
    return (float(found[1]), float(found[2])) if found and float(found[1]) else None
