"""Plots in the cells of a grid: their font sizes, their own sizes, and the heights of floating stacks."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from chains.language.mapping import PlotOptions
from handlers.render.grids.placement import (
    Area,
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
NO_WORDS: Mapping[int, CellWords] = {}

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


@dataclass(frozen=True, slots=True)
class CellOrder:
    """A plot to draw for a cell; without a height the plot chooses it."""

    number: int
    label: str
    width: int
    height: int | None
    look: CellScale = USUAL_LOOK


Draw = Callable[[Sequence[CellOrder]], Mapping[int, str]]


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

    def order_of(cell: PlacedCell) -> CellOrder:
        width, height = medium.order(cell, grid.options(cell.label))
        return CellOrder(cell.number, cell.label, width, height, looks.get(cell.number, USUAL_LOOK))

    cells = medium.place(grid).cells
    looks = medium.looks(grid, cells, numbers, words)
    orders = {number: order_of(cells[number]) for number in numbers}
    if medium.own_heights:
        drawn = dict(draw([replace(order, height=None) for order in orders.values()]))
        return GridParts(drawn, needs={n: medium.cell_height(cells[n], part) for n, part in drawn.items()})
    drawn = dict(draw(list(orders.values())))
    shares = {n: medium.cell_height(cells[n], part) / cells[n].height for n, part in drawn.items()}
    own = [n for n, share in shares.items() if abs(share - 1) > TOLERANCE and cells[n].floating]
    again = draw([replace(orders[number], height=None) for number in own])
    needs = {number: medium.cell_height(cells[number], again[number]) for number in own if number in again}
    if not needs:
        return GridParts(drawn)
    moved = medium.place(grid, needs).cells
    suited = {number for number, need in needs.items() if need <= moved[number].height * (1 + TOLERANCE)}
    drawn |= {number: again[number] for number in suited}
    left = [moved[number] for number in drawn if cells[number].floating and number not in suited]
    changed = [order for order in map(order_of, left) if order != orders[order.number]]
    return GridParts(drawn | dict(draw(changed)), needs=needs)


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
        if not numbers:
            return {}
        shown = [(cells[number], words.get(number, CellWords())) for number in numbers]
        sizes = {cell.number: self.order(cell, grid.options(cell.label)) for cell, _ in shown}
        charts = [sizes[cell.number] for cell, said in shown if said.type != FIGURE]
        type_width = _typical(charts or list(sizes.values()), len(shown))
        headed = {cell.number: grid.options(cell.label).include_header for cell, _ in shown}
        rows = {cell.number: (round(cell.y), said.type == FIGURE) for cell, said in shown}
        heights = dict.fromkeys(rows.values(), 0)
        for cell, said in shown:
            if headed[cell.number] and (said.title or said.subtitle):
                width, row = sizes[cell.number][0], rows[cell.number]
                style = style_of(width, self.look.mode, type_width=type_width, least=self.look.least)
                heights[row] = max(heights[row], head_height(style, said.title, said.subtitle))
        return {
            cell.number: CellScale(
                type_width,
                heights[rows[cell.number]] * headed[cell.number],
                headed[cell.number] and cell.position == "middle" and not cell.floating,
            )
            for cell, _ in shown
        }

    def cell_height(self, cell: PlacedCell, part: str) -> float:
        """Return the height of the cell when the picture is as wide as the cell."""
        _, _, width, height = self.plot_box(cell)
        size = svg_size(part)
        return size[1] * width / size[0] + cell.height - height if size else cell.height

    def plot_box(self, cell: PlacedCell) -> Area:
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


def _typical(sizes: Sequence[tuple[int, int]], count: int) -> int:
    """Return the picture width that sets the font size of `count` plots: that of the median size."""
    widths = sorted(typical_width(*size) for size in sizes)
    typical = widths[(len(widths) - 1) // 2]
    return typical if count < MANY else min(typical, MOST_OF_MANY)


def svg_size(svg: str) -> tuple[float, float] | None:
    """Return the width and height of an SVG document of this server; None if it has none."""
    found = _SIZE.search(svg[:2000])
    return (float(found[1]), float(found[2])) if found and float(found[1]) else None
