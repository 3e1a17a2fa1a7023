"""Data shown as cells are the same data when they are written as text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.pages.charts.cell_table import EMPTY, MOST_COLUMNS, MOST_ROWS, CellTable, table_of, table_sent
from handlers.render.plots.data.table_text import read_frame

WORDS = st.text("abc ,;\t\"'|\n12.%-é", max_size=6).map(str.strip)
TABLES = st.integers(1, 4).flatmap(
    lambda width: st.tuples(
        st.lists(st.text("abcdef", min_size=1, max_size=4), min_size=width, max_size=width),
        st.lists(st.lists(WORDS, min_size=width, max_size=width), min_size=1, max_size=5),
        st.sampled_from((",", ";", "\t")),
    )
)


def fields(table: CellTable) -> dict[str, str]:
    """The form that shows a table."""
    sent = {f"h{column}": head for column, head in enumerate(table.heads, 1)}
    for number, row in enumerate(table.rows, 1):
        sent |= {f"c{number}-{column}": cell for column, cell in enumerate(row, 1)}
    return {**sent, "delimiter": table.delimiter}


@given(TABLES)
def test_a_form_sends_the_values_that_it_showed(made: tuple[list[str], list[list[str]], str]) -> None:
    table = CellTable(*made)
    assert table_sent(fields(table)) == table


@pytest.mark.parametrize(
    "text",
    [
        "month,north,south\nJan,12,8\nFeb,15,9\n",
        "Tag;Wert\n01.05.2026;1.204,5\n",
        'name\tnote\na\t"two\nlines"\n',
        'a,b\n"x, y","say ""no"""\n',
        "a,a,\n1,2,3\n",
    ],
)
def test_cells_have_the_values_of_the_text(text: str) -> None:
    table = table_of(text)
    assert table is not None
    before, after = read_frame(text), read_frame(table.text)
    assert [column.texts for column in after.columns] == [column.texts for column in before.columns]
    assert after.heads == before.heads and after.delimiter == before.delimiter


def test_a_short_row_is_filled_and_a_long_one_is_for_the_text_alone() -> None:
    table = table_of("a,b\n1\n2,3\n")
    assert table is not None and table.rows == [["1", ""], ["2", "3"]]
    assert table_of("a,b\n1,2,3\n") is None


def test_tables_are_bounded() -> None:
    assert table_of("a\n" + "1\n" * (MOST_ROWS + 1)) is None
    assert table_of(",".join("abcdefghijklm") + "\n") is None
    full = CellTable(["x"] * MOST_COLUMNS, [["1"] * MOST_COLUMNS] * MOST_ROWS)
    assert full.with_row() is full and full.with_column() is full
    assert len(table_sent(fields(full) | {f"c{MOST_ROWS + 1}-1": "1"}).rows) == MOST_ROWS


def test_an_empty_plot_has_cells_to_begin_with() -> None:
    assert table_of(" \n") is EMPTY and EMPTY.text == ""
    grown = EMPTY.with_row().with_column()
    assert (len(grown.rows), len(grown.heads)) == (len(EMPTY.rows) + 1, len(EMPTY.heads) + 1)
    assert CellTable(["a", "b"], [["1", "2"], ["", " "]]).text == "a,b\n1,2\n"
