"""Plots are rendered for the cells of a grid at the right size, in the fewest turns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from handlers.render.grids.cell_plots import (
    CellOrder,
    CellScale,
    CellWords,
    CharacterCells,
    PixelCells,
    fill_cells,
    svg_size,
)
from handlers.render.grids.placement import GridLook, GridParts, read_grid

ROW = """
+---------+---------+
|   {A}   |   {B}   |
|         |         |
|         |         |
+---------+---------+
"""
STACK = """
+----------+
|   {A}    |
|          |
|          |
|----------|
|   {B}    |
|          |
|          |
+----------+
"""
UNEVEN = """
+---------+---------+---------+
|   {A}   |   {B}   |   {C}   |
|         |         |         |
|         |         |         |
+---------+---------+---------+
"""
BOUND = "A => /p/a\nB => /p/b\n"


class Desk:
    """A renderer of empty pictures; a plot with a height for its label has that height at any size."""

    def __init__(self, **own: int) -> None:
        self.own = own
        self.orders: list[CellOrder] = []

    def draw(self, orders: Sequence[CellOrder]) -> Mapping[int, str]:
        self.orders += orders
        return {order.number: self.svg(order) for order in orders if order.label != "gone"}

    def svg(self, order: CellOrder) -> str:
        own = self.own.get(order.label)
        height = order.height if own is None else own
        assert height is not None
        return f'<svg width="{order.width}" height="{height}"></svg>'


def filled(layout: str, desk: Desk, mapping: str = BOUND, width: int = 1000) -> GridParts:
    grid = read_grid(layout, mapping)
    return fill_cells(grid, PixelCells(GridLook(width=width)), (0, 1), desk.draw)


def test_each_cell_is_ordered_once_at_its_size() -> None:
    desk = Desk()
    assert not filled(ROW, desk).needs
    look = CellScale(type_width=484)
    assert desk.orders == [CellOrder(0, "A", 484, 384, look), CellOrder(1, "B", 484, 384, look)]


def test_a_small_cell_is_no_larger_on_its_sheet() -> None:
    desk = Desk()
    filled(ROW, desk, width=330)
    assert [(order.width, order.height) for order in desk.orders] == [(157, 124)] * 2


def test_all_cells_have_the_type_of_the_usual_one() -> None:
    desk, grid = Desk(), read_grid(UNEVEN, "A => /p/a\nB => /p/b\nC => /p/c, s=2\n")
    fill_cells(grid, PixelCells(GridLook(width=1000)), (0, 1, 2), desk.draw)
    assert len({order.look.type_width for order in desk.orders}) == 1
    assert desk.orders[-1].look.type_width == 317


def test_titles_of_a_row_have_one_height_and_figures_their_own() -> None:
    grid = read_grid(UNEVEN, "A => /p/a, h=t\nB => /p/b, h=t\nC => /p/c, h=t\n")
    words = {
        0: CellWords("A title that is so long that it has to be set in several lines", "below", "line"),
        1: CellWords("Short", "", "line"),
        2: CellWords("Short", "", "value"),
    }
    desk = Desk()
    fill_cells(grid, PixelCells(GridLook(width=1000)), (0, 1, 2), desk.draw, words)
    heads = [order.look.head for order in desk.orders]
    assert heads[0] == heads[1] > heads[2] > 0
    assert all(order.look.centred for order in desk.orders)


def test_a_stack_makes_room_for_what_needs_it() -> None:
    desk = Desk(A=200)
    parts = filled(STACK, desk)
    assert parts.needs == {0: 216}
    assert [svg_size(part) for part in parts.contents.values()] == [(984, 200), (984, 1223)]


@pytest.mark.parametrize("own,needs", [({"A": 900, "B": 200}, {0: 916, 1: 216}), ({}, {})])
def test_nothing_is_drawn_again_where_everything_fits(own: dict[str, int], needs: dict[int, float]) -> None:
    desk = Desk(**own)
    assert filled(STACK, desk).needs == needs
    assert len(desk.orders) == 2 + len(own)


def test_a_plot_without_enough_room_in_a_stack_is_offered_the_rest() -> None:
    desk = Desk(A=1000, B=600)
    filled(STACK, desk)
    assert [order.height for order in desk.orders] == [711, 711, None, None, 823]


def test_a_plot_that_could_not_be_drawn_has_no_part() -> None:
    parts = filled(ROW, Desk(), "A => /p/a\n")
    assert set(parts.contents) == {0, 1}
    assert not fill_cells(read_grid(ROW, ""), PixelCells(GridLook()), (0,), lambda orders: {}).contents


def test_texts_are_ordered_between_the_lines() -> None:
    grid, orders = read_grid(STACK, BOUND), list[CellOrder]()

    def draw(wanted: Sequence[CellOrder]) -> Mapping[int, str]:
        orders.extend(wanted)
        return {order.number: "x\n" * (3 if order.label == "A" else order.height or 0) for order in wanted}

    parts = fill_cells(grid, CharacterCells(GridLook(width=45)), (0, 1), draw)
    assert [(order.label, order.width, order.height) for order in orders] == [
        ("A", 41, 15), ("B", 41, 15), ("A", 41, None), ("B", 41, 27),
    ]  # fmt: skip
    assert parts.needs == {0: 4}
