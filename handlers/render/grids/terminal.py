"""Grids for terminals: the layout's boxes, scaled to a number of columns, with plots in them as text."""

from __future__ import annotations

from itertools import groupby
from operator import itemgetter
from textwrap import wrap

from chains.language.drawing import column_width
from handlers.render.grids.cell_plots import CharacterCells
from handlers.render.grids.picture import ALIGN
from handlers.render.grids.placement import DrawnGrid, GridLook, GridParts, PlacedCell, Placement
from handlers.render.plots.forms.terminal.screen import ESCAPE, PART

LEFT, RIGHT, UP, DOWN = 1, 2, 4, 8
LINES = " ╴╶─╵┘└┴╷┐┌┬│┤├┼"
"""Box-drawing characters by the sides they connect."""
QUIET, PLAIN = "\x1b[90m", "\x1b[0m"

_Row = list[tuple[str, str]]
"""Characters of a line, each after its colour mark; the second half of a wide one is empty."""


def grid_text(grid: DrawnGrid, parts: GridParts, look: GridLook, *, colored: bool) -> str:
    """Return the grid for a terminal; a cell's text is cut at the cell's edge."""
    cells = CharacterCells(look)
    placement = cells.place(grid, parts.needs)
    rows = _frames(placement, colored=colored)
    for cell in placement.cells:
        left, top, width, height = cells.plot_box(cell)
        lines = _cell_lines(grid, cell, parts, width)[:height] if width and height else []
        start = top + round((height - len(lines)) * ALIGN[cell.position])
        for row, line in zip(rows[start:], lines, strict=False):
            _set_line(row, left, width, line if colored else ESCAPE.sub("", line))
    return "".join(_line_text(row).rstrip() + "\n" for row in rows)


def _frames(placement: Placement, *, colored: bool) -> list[_Row]:
    """Return rows with the borders of the cells and of the grid, joined where they meet."""
    width, height = round(placement.width), round(placement.height)
    sides = [[0] * (width + 1) for _ in range(height + 1)]
    areas = [(0.0, 0.0, placement.width, placement.height), *(cell.area for cell in placement.cells)]
    boxes = {(round(x), round(y), round(x + wide), round(y + high)) for x, y, wide, high in areas}
    for left, right, row in {(box[0], box[2], y) for box in boxes for y in (box[1], box[3])}:
        for at in range(left, right):
            sides[row][at] |= RIGHT
            sides[row][at + 1] |= LEFT
    for top, bottom, column in {(box[1], box[3], x) for box in boxes for x in (box[0], box[2])}:
        for at in range(top, bottom):
            sides[at][column] |= DOWN
            sides[at + 1][column] |= UP
    lines = [(QUIET if colored and line != " " else "", line) for line in LINES]
    return [[lines[side] for side in row] for row in sides]


def _cell_lines(grid: DrawnGrid, cell: PlacedCell, parts: GridParts, width: int) -> list[str]:
    if (part := parts.contents.get(cell.number)) is not None:
        return part.rstrip("\n").split("\n")
    reason = grid.fault or parts.reasons.get(cell.number, "")
    return [line.center(width).rstrip() for line in wrap(reason, width)]


def _set_line(row: _Row, left: int, width: int, text: str) -> None:
    """Write a line over a row, cut if it is too wide.

    Colour marks take no column; other characters that are not printable are left out.
    """
    at, mark = left, ""
    for piece in PART.findall(text):
        if len(piece) > 1:
            mark = "" if piece == PLAIN else mark + piece
            continue
        wide = column_width(piece) if piece.isprintable() else 0
        if at + wide > left + width:
            _end_early(row, left + width - 1)
            break
        if wide:
            row[at : at + wide] = [(mark, piece), *[(mark, "")] * (wide - 1)]
        at += wide


def _end_early(row: _Row, last: int) -> None:
    """Mark in the last column that the line is cut, even if a wide character ends there."""
    if not row[last][1]:
        row[last - 1] = ("", " ")
    row[last] = ("", "…")


def _line_text(row: _Row) -> str:
    """Return a line with one pair of colour marks around adjacent characters of one colour."""
    runs = ((mark, "".join(character for _, character in run)) for mark, run in groupby(row, itemgetter(0)))
    return "".join(f"{mark}{text}{PLAIN}" if mark else text for mark, text in runs)
