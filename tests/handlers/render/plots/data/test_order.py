"""Rows in a chosen order: none is lost, ties keep their order, and other rows come last."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.render.plots.data.frame import Frame
from handlers.render.plots.data.series import RowOrder, is_left_over, sort_rows
from handlers.render.plots.data.table_text import read_frame
from handlers.render.plots.drawn.drawn_data import share_rows

NAMES = st.sampled_from(["fen", "Bog", "mere", "Other", "2 others", "rest"])
CELLS = st.one_of(st.integers(-9, 9).map(str), st.just(""))
ROWS = st.lists(st.tuples(NAMES, CELLS, CELLS), min_size=1, max_size=9)


def frame_of(rows: list[tuple[str, str, str]]) -> Frame:
    # The first row makes both columns ones of numbers.
    return read_frame("".join(",".join(row) + "\n" for row in [("name", "a", "b"), ("fen", "1", "1"), *rows]))


@given(ROWS, st.sampled_from(RowOrder), st.booleans())
def test_rows_are_sorted_and_none_is_lost(
    rows: list[tuple[str, str, str]], order: RowOrder, summed: bool
) -> None:
    frame = frame_of(rows)
    made = sort_rows(frame, order, summed=summed)
    pairs = list(zip(made.categories, *(column.numbers for column in made.series), strict=True))
    sent = list(zip(frame.categories, *(column.numbers for column in frame.series), strict=True))
    assert sorted(map(str, pairs)) == sorted(map(str, sent))
    if order is RowOrder.DATA:
        assert pairs == sent
        return
    left = [is_left_over(str(pair[0])) for pair in pairs]
    assert left == sorted(left)
    if order in (RowOrder.UP, RowOrder.DOWN):
        for is_left in (False, True):
            some = [one for one, last in zip(pairs, left, strict=True) if last == is_left]
            sizes = [
                sum(value for value in one[1:] if isinstance(value, float)) if summed else one[1]
                for one in some
                if (one[1] is not None or (summed and one[2] is not None))
            ]
            wanted = sorted(sizes, reverse=order is RowOrder.DOWN)  # type: ignore[type-var]
            assert sizes == wanted


def test_ties_keep_their_order_and_gaps_come_last() -> None:
    frame = frame_of([("b", "2", ""), ("gap", "", "9"), ("a", "2", "")])
    made = sort_rows(frame, RowOrder.DOWN, summed=False)
    assert made.categories == ("b", "a", "fen", "gap")
    assert sort_rows(frame, RowOrder.UP, summed=False).categories == ("fen", "b", "a", "gap")


def test_days_are_sorted_by_name_as_days() -> None:
    frame = read_frame("day,v\n02.03.2026,1\n15.01.2026,2\n")
    assert sort_rows(frame, RowOrder.NAME, summed=False).categories == ("15.01.2026", "02.03.2026")


@given(ROWS)
def test_shares_of_a_row_add_up_to_one(rows: list[tuple[str, str, str]]) -> None:
    frame = frame_of([(name, one.strip("-"), other.strip("-")) for name, one, other in rows])
    made, blank = share_rows(frame)
    lost = 0
    for row in range(frame.height):
        shares = [value for column in made.series if (value := column.numbers[row]) is not None]
        lost += not shares or (None in [column.numbers[row] for column in frame.series] and not sum(shares))
        assert not shares or sum(shares) == pytest.approx(1)
    assert blank <= lost
