"""Edits of layouts: what is drawn is read back, and only what an edit names changes its place."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from chains.language.layout import BoxKind, Instruction, LayoutBox, parse
from chains.language.layout_edits import (
    NoEdit,
    areas,
    borders,
    cells,
    divide,
    draw_boxes,
    extend,
    move,
    remove,
)

PAIR = "+-----+-----+\n|     |     |\n| {A} | {B} |\n|     |     |\n+-----+-----+\n"


@st.composite
def layouts(draw: st.DrawFn) -> LayoutBox:
    """Boxes as they may be drawn, read from their own text."""
    root = LayoutBox(BoxKind.CELL, 12, 6, instruction=Instruction("A"), said="{A}")
    for number in range(draw(st.integers(0, 7))):
        some = cells(root)
        label = f"L{number}"
        divide(root, some[draw(st.integers(0, len(some) - 1))], label, upright=draw(st.booleans()))
        lines = borders(root)
        move(lines[draw(st.integers(0, len(lines) - 1))], draw(st.integers(-9, 9)))
    try:
        found = parse(draw_boxes(root))
    except NoEdit:
        assume(False)
    assert found is not None
    return found


def shares(root: LayoutBox) -> dict[str, tuple[float, ...]]:
    """The places of cells as shares of the whole, by what they say."""
    return {
        box.said: (left / root.width, top / root.height, box.width / root.width, box.height / root.height)
        for box, top, left in areas(root)
        if not box.children
    }


@given(layouts())
def test_what_is_drawn_is_read_back(root: LayoutBox) -> None:
    assert parse(draw_boxes(root)) == root


@given(layouts(), st.data())
def test_a_moved_border_changes_its_neighbours_alone(root: LayoutBox, data: st.DataObject) -> None:
    lines = borders(root)
    assume(lines)
    border = data.draw(st.sampled_from(lines))
    before, whole = shares(root), (root.width, root.height)
    beside = {box.said for side in border.sides for box in cells(side)}
    least, most = border.room
    by = data.draw(st.integers(-least - 2, most + 2))
    size = border.sides[0].width if border.upright else border.sides[0].height
    move(border, by)
    assert (root.width, root.height) == whole
    now = border.sides[0].width if border.upright else border.sides[0].height
    assert now - size == max(-least, min(by, most))
    changed = {said for said, place in shares(root).items() if place != before[said]}
    assert changed <= beside and bool(changed) == (now != size)
    assert all(box.width >= 2 and box.height >= 2 for box in cells(root))


@given(layouts(), st.booleans(), st.data())
def test_a_divided_box_keeps_its_room_and_gives_it_back(
    root: LayoutBox, upright: bool, data: st.DataObject
) -> None:
    before = shares(root)
    cell = data.draw(st.sampled_from(cells(root)))
    said = cell.said
    divide(root, cell, "NEW", upright=upright)
    now = shares(root)
    assert set(now) == {*before, "{NEW}"}
    assert all(now[one] == place for one, place in before.items() if one != said)
    width, height = before[said][2:]
    parts = now[said][2] + now["{NEW}"][2], now[said][3] + now["{NEW}"][3]
    assert parts == pytest.approx((width, 2 * height) if upright else (2 * width, height))
    remove(root, next(box for box in cells(root) if box.said == "{NEW}"))
    assert shares(root) == before


@given(layouts(), st.booleans())
def test_a_row_or_column_is_added_at_the_end(root: LayoutBox, upright: bool) -> None:
    before = [
        (box.said, top, left, box.width, box.height) for box, top, left in areas(root) if not box.children
    ]
    extend(root, "NEW", upright=upright)
    after = [
        (box.said, top, left, box.width, box.height) for box, top, left in areas(root) if not box.children
    ]
    assert set(before) < set(after) and len(after) == len(before) + 1
    new = next(box for box in cells(root) if box.said == "{NEW}")
    assert (new.height == root.height) if upright else (new.width == root.width and new.height >= 4)
    with suppress(NoEdit):
        assert parse(draw_boxes(root)) is not None


@given(layouts(), st.data())
def test_a_removed_box_leaves_no_gap(root: LayoutBox, data: st.DataObject) -> None:
    some = cells(root)
    cell = data.draw(st.sampled_from(some))
    if len(some) == 1:
        with pytest.raises(NoEdit):
            remove(root, cell)
        return
    said = cell.said
    remove(root, cell)
    now = shares(root)
    assert said not in now and len(now) == len(some) - 1
    assert sum(width * height for _, _, width, height in now.values()) == pytest.approx(1)


def test_edits_by_hand_are_what_somebody_would_draw() -> None:
    root = parse(PAIR)
    assert root is not None
    move(borders(root)[0], 2)
    extend(root, "C", upright=False)
    assert draw_boxes(root) == (
        "+-------+---+\n|       |   |\n|  {A}  |{B}|\n|       |   |\n+-------+---+\n"
        "|           |\n|    {C}    |\n|           |\n+-----------+\n"
    )


def test_floating_stacks_and_other_texts_stay() -> None:
    text = "+---+-----+\n|{A}|{é:^}|\n|   |-----|\n|   |{B:x}|\n+---+-----+\n"
    root = parse(text.replace("|   |-----|", "|   |-----|"))
    assert root is not None
    assert draw_boxes(root) == text.replace("|{A}|{é:^}|\n|   |", "|   |{é:^}|\n|{A}|")
