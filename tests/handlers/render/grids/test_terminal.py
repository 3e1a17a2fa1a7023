"""A grid in a terminal is the drawing enlarged to its columns, with plots as text inside its boxes."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chains.language.drawing import column_width
from handlers.render.grids.cell_plots import CharacterCells
from handlers.render.grids.placement import NO_LAYOUT, GridLook, GridParts, grid_look, read_grid
from handlers.render.grids.terminal import grid_text

BOARD = "+-----+---+\n| {A} |{B}|\n" + "|     +---+\n|     |{C}|\n+-----+---+"
ESCAPE = re.compile(r"\x1b\[[0-9;]*m")


def text(
    layout: str = BOARD,
    mapping: str = "",
    parts: GridParts | None = None,
    *,
    colored: bool = False,
    **options: int,
) -> list[str]:
    look = grid_look("ansi", {"cols": 41, **options})
    return grid_text(read_grid(layout, mapping), parts or GridParts(), look, colored=colored).splitlines()


def test_lines_are_where_they_were_drawn() -> None:
    assert text() == [
        "┌───────────────────────┬───────────────┐",
        *["│                       │               │"] * 7,
        "│                       ├───────────────┤",
        *["│                       │               │"] * 7,
        "└───────────────────────┴───────────────┘",
    ]


def test_a_plot_is_in_the_middle_of_its_box_or_where_the_layout_puts_it() -> None:
    lines = text(parts=GridParts({0: "one\ntwo\n", 1: "x"}))
    assert [lines[row][2:5] for row in (7, 8)] == ["one", "two"]
    assert lines[4][26] == "x"
    top = "+-------+\n| {A:^} |\n|       |\n|       |\n+-------+\n"
    assert text(top, parts=GridParts({0: "x"}))[1].startswith("│ x")
    assert text(top.replace("^", "v"), parts=GridParts({0: "x"}))[-2].startswith("│ x")


def test_a_line_that_is_too_long_ends_with_an_ellipsis() -> None:
    assert "│ aaaaaaaaaaaaaaaaaaaa… " in text(parts=GridParts({0: "a" * 30}))[8]
    assert text(parts=GridParts({0: "漢" * 30}))[8].startswith("│ 漢漢漢漢漢漢漢漢漢漢… ")
    assert len(text(parts=GridParts({0: "a\n" * 99}))) == 17


def test_colours_end_with_their_text() -> None:
    red = "\x1b[31mred\x1b[0m plain"
    (line,) = [line for line in text(parts=GridParts({0: red}), colored=True) if "red" in line]
    assert ESCAPE.sub("", line).startswith("│ red plain ")
    assert "\x1b[31mred\x1b[0m plain " in line
    assert "\x1b" not in "".join(text(parts=GridParts({0: red})))


def test_a_reason_is_shown_in_the_box() -> None:
    lines = text(parts=GridParts(reasons={2: "No such\x1b[2J plot to show here."}))
    assert [line[25:40].strip() for line in lines[12:14]] != ["", ""]
    assert "\x1b" not in "".join(lines)
    assert NO_LAYOUT[:13] in "".join(text(""))


@pytest.mark.parametrize("rows", [6, 25, 200])
def test_the_number_of_rows_is_the_requested_one(rows: int) -> None:
    assert len(text(rows=rows)) == rows


@given(st.integers(20, 400), st.text("ab漢\u0301\x1b[31m", max_size=60), st.integers(1, 30))
def test_no_line_is_wider_than_the_terminal(columns: int, said: str, times: int) -> None:
    parts = GridParts(dict.fromkeys(range(3), (said + "\n") * times))
    for line in text(cols=columns, parts=parts, colored=True):
        assert sum(column_width(sign) for sign in ESCAPE.sub("", line)) <= columns


def test_the_box_of_a_cell_is_between_its_lines() -> None:
    cells = CharacterCells(GridLook(width=41))
    boxes = [cells.plot_box(cell) for cell in cells.place(read_grid(BOARD, "")).cells]
    assert boxes == [(2, 1, 21, 15), (26, 1, 13, 7), (26, 9, 13, 7)]
