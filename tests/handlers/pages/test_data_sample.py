"""The table of a plot's page: the first rows and columns, and how many there are."""

from __future__ import annotations

import json

import pytest

from handlers.pages.visuals.data_sample import (
    LONGEST_SAMPLE,
    MOST_COLUMNS,
    MOST_ROWS,
    NO_DATA,
    Heading,
    sample_data,
)


def test_a_small_table_is_shown_whole() -> None:
    sample = sample_data("team;points\nA;1,5\nB;2\n")
    assert sample.heads == (Heading("team", is_number=False), Heading("points", is_number=True))
    assert sample.rows == ((("A", ""), ("1,5", "1.5")), (("B", ""), ("2", "2.0")))
    assert (sample.height, sample.width, sample.rows_left, sample.columns_left) == (2, 2, 0, 0)


@pytest.mark.parametrize("text", ["", "\n\n"])
def test_empty_data_have_no_table(text: str) -> None:
    assert sample_data(text) == NO_DATA


def test_more_rows_and_columns_are_counted() -> None:
    head = ",".join(f"c{at}" for at in range(30))
    sample = sample_data(head + "\n" + (",".join("1" * 30) + "\n") * 150)
    assert (len(sample.rows), sample.rows_left) == (MOST_ROWS, 50)
    assert (len(sample.heads), sample.columns_left) == (MOST_COLUMNS, 6)


@pytest.mark.parametrize("end", ["\n", ""])
def test_of_a_long_text_only_the_beginning_is_read(end: str) -> None:
    rows = LONGEST_SAMPLE // 4 * 3
    sample = sample_data("a,b\n" + "x,1\n" * (rows - 1) + "x,1" + end)
    assert (sample.height, len(sample.rows)) == (rows, MOST_ROWS)


def test_a_table_that_is_too_wide_to_be_read_is_not_shown() -> None:
    assert sample_data("a,b\n" + "," * 250_000) == NO_DATA


def test_one_line_without_end_is_cut() -> None:
    assert len(sample_data("a,b\nx," + "y" * (1 << 20)).rows) == 0


def test_json_is_shown_as_its_table_or_not_at_all() -> None:
    rows = [{"city": f"city {row}", "people": row} for row in range(300)]
    sample = sample_data(json.dumps(rows, indent=1))
    assert [head.name for head in sample.heads] == ["city", "people"]
    assert (sample.height, sample.rows[1][0].text) == (300, "city 1")
    assert sample_data(json.dumps(rows * 40)) == NO_DATA
