"""Looks of a grid's plots: one font size for all, and titles of a row on one baseline."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from handlers.render.grids.drawn_grid import DrawnGrid, GridLook
from handlers.render.grids.placement import PlacedCell
from handlers.render.plots.charts.sheet import head_height
from handlers.render.plots.look.style import style_of, typical_width

FIGURE = "value"
MANY, MOST_OF_MANY = 3, 759
"""Number of cells from which on the font size is at most that of a picture of this width."""


@dataclass(frozen=True, slots=True)
class CellWords:
    """The titles of a cell's plot, if they are shown, and its type."""

    title: str = ""
    subtitle: str = ""
    type: str = ""


@dataclass(frozen=True, slots=True)
class CellScale:
    """The width whose type a plot has, the height of its titles, whether the rest stands in the middle."""

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
    """Return the looks of the cells of those numbers, whose sheets have the sizes that `size_of` says."""
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
    """Return the width that decides the font size: that of the median cell, without single figures."""
    charts = [cell for cell in shown if words.get(cell.number, CellWords()).type != FIGURE] or shown
    sizes = sorted(typical_width(*size_of(cell)) for cell in charts)
    typical = sizes[(len(sizes) - 1) // 2]
    return typical if len(shown) < MANY else min(typical, MOST_OF_MANY)
