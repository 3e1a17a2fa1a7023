"""Cells keep the drawn proportions, to the unit; floating stacks follow their content."""

from math import isclose

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chains.language.layout import BoxKind, Instruction, LayoutBox, parse
from handlers.render.grids.placement import PlacedCell, place, redistribute

BOARD = """
+-------------+--------+
|             |  {B:^} |
|     {A}     +--------+
|             |  {C:v} |
+-------------+--------+
"""
STACK = """
+----------+
|   {A}    |
|----------|
|   {B}    |
|          |
|          |
+----------+
"""


def cells(text: str, width: float, **heights: float) -> dict[str, PlacedCell]:
    box = parse(text)
    assert box is not None
    numbers = {cell.label: cell.number for cell in place(box, width).cells}
    needs = {numbers[label]: height for label, height in heights.items()}
    return {cell.label: cell for cell in place(box, width, needs=needs).cells}


def test_sizes_are_shares_of_the_distances_between_borders() -> None:
    placed = cells(BOARD, 230)
    assert [(c.x, c.y, c.width, c.height) for c in placed.values()] == [
        (0, 0, 140, 80), (140, 0, 90, 40), (140, 40, 90, 40),
    ]  # fmt: skip
    assert [cell.position for cell in placed.values()] == ["middle", "top", "bottom"]


def test_a_floating_stack_without_needs_keeps_its_proportions() -> None:
    placed = cells(STACK, 110)
    assert [(c.y, c.height, c.floating) for c in placed.values()] == [(0, 40, True), (40, 80, True)]


def test_height_that_one_plot_leaves_goes_to_the_one_that_needs_it() -> None:
    placed = cells(STACK, 110, A=70, B=30)
    assert [(c.y, c.height) for c in placed.values()] == [(0, 70), (70, 30)]


def test_a_stack_that_needs_less_than_it_has_is_packed_from_its_top() -> None:
    placed = cells(STACK, 110, A=30, B=30)
    assert [(c.y, c.height) for c in placed.values()] == [(0, 30), (30, 30)]


def test_a_plot_that_follows_takes_the_height_that_is_left() -> None:
    placed = cells(STACK, 110, A=30)
    assert [(c.y, c.height) for c in placed.values()] == [(0, 30), (30, 90)]


def test_remaining_height_is_shared_in_the_drawn_proportions() -> None:
    assert redistribute([60, 20, 40], [None, 5, None]) == [69, 5, 46]


def test_a_plot_that_needs_more_comes_before_one_that_takes_the_rest() -> None:
    assert redistribute([40, 40, 40], [20, 50, None]) == [20, 50, 50]
    assert redistribute([40, 40, 40], [20, 90, None]) == [20, 60, 40]


NESTED = """
+------------------+
| {A}   |   {B}    |
|       |          |
|------------------|
| {C}   |   {D}    |
|       +----------+
|       |   {E}    |
+-------+----------+
"""


def test_a_row_in_a_stack_needs_what_its_highest_plot_needs() -> None:
    placed = cells(NESTED.replace("|-", "|-"), 190, A=10, B=20, C=5, D=30, E=10)
    assert (placed["A"].height, placed["B"].height) == (20, 20)
    assert placed["C"].height == 60
    assert (placed["D"].height, placed["E"].height) == (30, 30)


def test_a_row_with_a_plot_that_follows_takes_the_rest() -> None:
    placed = cells(NESTED, 190, A=10, B=20)
    assert placed["A"].height == 20
    assert placed["C"].height == 120


def test_a_stack_in_a_stack_needs_the_sum() -> None:
    inner = LayoutBox(BoxKind.COLUMN, 10, 20, True, children=[cell(10, 10), cell(10, 10)])
    row = LayoutBox(BoxKind.ROW, 20, 20, children=[inner, cell(10, 20)])
    box = LayoutBox(BoxKind.COLUMN, 20, 40, True, children=[row, cell(20, 20)])
    placed = place(box, 20, needs={0: 6, 1: 8, 2: 2}).cells
    assert [one.height for one in placed] == [6, 8, 14, 66]


def cell(width: int, height: int) -> LayoutBox:
    return LayoutBox(BoxKind.CELL, width, height, instruction=Instruction("A"))


def test_a_height_that_is_given_is_kept() -> None:
    box = parse(BOARD)
    assert box is not None
    placement = place(box, 230, 100)
    assert placement.height == 100
    assert [(c.y, c.height) for c in placement.cells] == [(0, 100), (0, 50), (50, 50)]


SIZES = st.lists(
    st.tuples(st.floats(1, 500), st.one_of(st.none(), st.floats(0, 1000))), min_size=1, max_size=8
)


@given(SIZES)
def test_a_stack_never_outgrows_its_height_and_nobody_gets_more_than_needed(
    sizes: list[tuple[float, float | None]],
) -> None:
    heights, needs = [height for height, _ in sizes], [need for _, need in sizes]
    given_ = redistribute(heights, needs)
    assert sum(given_) <= sum(heights) * (1 + 1e-9)
    for height, need, got in zip(heights, needs, given_, strict=True):
        if need is None:
            assert got >= height * (1 - 1e-9)
        else:
            assert min(height, need) * (1 - 1e-9) <= got <= need * (1 + 1e-9)
    if None in needs:
        assert isclose(sum(given_), sum(heights))


@given(st.recursive(st.integers(1, 40), lambda inner: st.lists(inner, min_size=2, max_size=4), max_leaves=12))
def test_cells_of_fixed_boxes_cover_the_whole_and_never_overlap(drawn: int | list[object]) -> None:
    box = _box(drawn, BoxKind.ROW)
    placement = place(box, 640)
    area = sum(cell.width * cell.height for cell in placement.cells)
    assert isclose(area, placement.width * placement.height, rel_tol=1e-6)
    for cell in placement.cells:
        assert -1e-6 <= cell.x <= cell.x + cell.width <= placement.width * (1 + 1e-9)
        assert -1e-6 <= cell.y <= cell.y + cell.height <= placement.height * (1 + 1e-9)


def _box(drawn: object, kind: BoxKind) -> LayoutBox:
    if not isinstance(drawn, list):
        assert isinstance(drawn, int)
        return LayoutBox(BoxKind.CELL, drawn, drawn, instruction=Instruction("A"))
    other = BoxKind.COLUMN if kind is BoxKind.ROW else BoxKind.ROW
    children = [_box(one, other) for one in drawn]
    if kind is BoxKind.ROW:
        width, height = sum(child.width for child in children), max(child.height for child in children)
    else:
        width, height = max(child.width for child in children), sum(child.height for child in children)
    return LayoutBox(kind, width, height, children=children)


def test_a_drawing_that_nests_deeper_than_python_does_is_placed() -> None:
    box = LayoutBox(BoxKind.CELL, 10, 10, instruction=Instruction("A"))
    for depth in range(20_000):
        box = LayoutBox(BoxKind.ROW if depth % 2 else BoxKind.COLUMN, 10, 10, children=[box])
    assert len(place(box, 100).cells) == 1


@pytest.mark.parametrize("width", [1, 79, 1200])
def test_the_height_follows_the_width(width: int) -> None:
    box = parse(BOARD)
    assert box is not None
    assert isclose(place(box, width).height, width * 4 / 23 * 2)
