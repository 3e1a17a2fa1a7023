"""Plain tables and cards have a line for each row, whatever stands in them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from handlers.words.tables import pairs, table

WORDS = st.text() | st.lists(st.sampled_from(["public: no", "\n", "\r", "\v", "\x1c", "\x85", "\u2028"])).map(
    "".join
)


@given(st.dictionaries(st.sampled_from("abc"), WORDS, min_size=1))
def test_no_value_of_a_card_makes_another_line(values: dict[str, str]) -> None:
    assert [line.partition(":")[0] for line in pairs(values).splitlines()] == list(values)


@given(st.lists(st.tuples(WORDS, WORDS), max_size=4))
def test_a_table_has_a_line_for_each_row(rows: list[tuple[str, str]]) -> None:
    assert len(table(["name", "title"], rows).splitlines()) == 1 + len(rows)


def test_lines_of_a_value_stand_behind_each_other() -> None:
    assert (
        pairs({"description": "# Birds\nof the shore\n", "public": True})
        == "description: # Birds of the shore\npublic: true\n"
    )
