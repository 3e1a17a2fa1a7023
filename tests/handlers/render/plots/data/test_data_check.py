"""The check of data reports how they are read, and the places of mistakes."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handlers.render.plots.data.data_check import check_data
from handlers.render.plots.data.table_text import NUMBERS_ABOVE


def test_a_check_names_delimiter_columns_rows_gaps_and_mistakes() -> None:
    text = "month;north;when\nJan;1,5;2026-01-01\nFeb;two;2026-02-01\nMar;;\nApr;4;2026-04-01;9\n"
    assert check_data(text) == {
        "delimiter": "semicolon",
        "quotes": False,
        "decimal": "comma",
        "groups": [],
        "guess": False,
        "rows": 4,
        "columns": [
            {"name": "month", "type": "text", "gaps": 0, "mistakes": 0},
            {"name": "north", "type": "number", "gaps": 1, "mistakes": 1},
            {"name": "when", "type": "date", "gaps": 1, "mistakes": 0},
        ],
        "cells": 12,
        "most_cells": 200_000,
        "gaps": 2,
        "rejected": 2,
        "mistakes": [
            {"line": 3, "column": "north", "reason": '"two" in column "north" is no number'},
            {"line": 5, "column": None, "reason": "has 4 cells where the header has 3"},
        ],
        "notes": [],
    }


@pytest.mark.parametrize(
    "text,note",
    [
        ("", "There is no text yet."),
        ("a,b\n", "There is a header and no row below it."),
        ("a,b\nx,y\n", "No column holds numbers: only a table can be drawn."),
        ("x,1\ny,2\n", NUMBERS_ABOVE),
        ("5,5,5\n1,2,3\n", NUMBERS_ABOVE),
        ("10\n20\n30\n", NUMBERS_ABOVE),
    ],
)
def test_a_check_notes_empty_data_and_probable_mistakes(text: str, note: str) -> None:
    assert check_data(text)["notes"] == [note]


def test_years_may_be_names_of_columns() -> None:
    assert check_data("place,2024,2025\nx,1,2\n")["notes"] == []


def test_too_many_cells_are_reported_with_both_numbers() -> None:
    (note,) = check_data("a,b\n" + "1,2\n" * 150_000)["notes"]
    assert note.startswith("these data have about 300,002 cells, and 200,000 fit into a plot")


def test_a_cell_that_is_too_long_is_reported_with_its_line() -> None:
    check = check_data("a,b\nx,1\n" + "y" * 200_000 + ",2\nz,3\n")
    assert check["mistakes"] == [
        {"line": 3, "column": None, "reason": "has a cell of more than 131,072 characters"}
    ]


def test_lines_are_counted_as_editors_do() -> None:
    check = check_data("a,b\r\n\u2028x,1\r\ny,2\r\nz,three\r\n")
    assert [mistake["line"] for mistake in check["mistakes"]] == [4]


@given(st.text(max_size=200))
@settings(max_examples=100, deadline=None)
def test_any_text_is_checked(text: str) -> None:
    fields = check_data(text)
    assert fields["rejected"] == len(fields["mistakes"])  # type: ignore[arg-type]
