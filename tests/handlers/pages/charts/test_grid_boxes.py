"""The boxes of a grid are changed line by line; other lines of its mapping stay."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chains.language import layout, mapping
from handlers.pages.charts.grid_edits import (
    BoxRow,
    box_rows,
    labels_of,
    with_box,
    with_boxes,
    with_plot,
)
from handlers.pages.examples import patterns

LINES = st.lists(
    st.sampled_from(("A => /p/a", "A => /p/b, h=t, m=d", "B => /u/bob/p/c?m=d&h=t", "a remark", "")),
    max_size=5,
)
PAIR = "+---+---+\n|{A}|{B}|\n+---+---+\n"


@given(LINES, st.sampled_from(("A", "B", "C")), st.sampled_from(("/p/new", "/u/bob/p/c?m=d")), st.booleans())
def test_a_box_shows_the_chosen_plot(lines: list[str], label: str, ref: str, titled: bool) -> None:
    text = with_box("\n".join(lines), label, ref, titled=titled)
    bound, before = mapping.parse(text), mapping.parse("\n".join(lines))
    assert bound[label].options.include_header is titled
    assert bound[label].ref == mapping.parse(f"A => {ref}")["A"].ref
    assert {key: one for key, one in bound.items() if key != label} == {
        key: one for key, one in before.items() if key != label
    }
    assert "a remark" not in lines or "a remark" in text
    assert label not in mapping.parse(with_box(text, label, "", titled=titled))


def test_letters_are_found_in_an_unreadable_layout_too() -> None:
    assert labels_of(PAIR) == ["A", "B"]
    assert labels_of("+---\n|{A}|{B:^}") == ["A", "B"]
    assert box_rows(PAIR, "A => /p/a, h=t\nB = nothing") == [BoxRow("A", "/p/a", True), BoxRow("B")]
    assert box_rows(PAIR, "A => no such/thing")[0] == BoxRow("A", "no such/thing")


def test_only_boxes_that_changed_are_written() -> None:
    bound = "A => /p/a,m=d\nB => /p/b\n"
    same = {"box-A": "/p/a", "was:box-A": "/p/a", "was:head-A": ""}
    assert with_boxes(bound, same) == bound
    assert with_boxes(bound, {**same, "head-A": "on"}) == "A => /p/a, m=d, h=t\nB => /p/b\n"
    assert with_boxes(bound, {**same, "box-A": ""}) == "B => /p/b\n"


def test_a_plot_is_put_into_the_next_free_box() -> None:
    bound = with_plot(PAIR, "", "/p/a")
    assert bound == "A => /p/a, h=t\n"
    assert with_plot(PAIR, bound, "/p/b") == "A => /p/a, h=t\nB => /p/b, h=t\n"
    full = with_plot(PAIR, bound, "/p/b")
    assert with_plot(PAIR, full, "/p/c") == full


@pytest.mark.parametrize("drawing", [one["drawing"] for one in patterns().values()])
def test_drawings_to_begin_with_can_be_read(drawing: str) -> None:
    assert layout.parse(drawing) is not None and labels_of(drawing)
