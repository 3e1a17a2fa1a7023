"""Rows that are pasted as JSON are the same rows as CSV."""

from __future__ import annotations

import csv
import io
import json
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.pages.charts.cell_table import as_rows
from vfs.errors import Invalid

CELL = st.none() | st.integers(-9, 9) | st.text("a ,\"'\n;é", max_size=5)
KEYS = st.lists(st.text("abc", min_size=1, max_size=3), min_size=1, max_size=4, unique=True)
TABLES = KEYS.flatmap(
    lambda heads: st.tuples(
        st.just(heads),
        st.lists(st.lists(CELL, min_size=len(heads), max_size=len(heads)), min_size=1, max_size=4),
    )
)


def read(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text)))


@given(TABLES, st.sampled_from(("objects", "lists", "columns", "within")))
def test_each_form_of_rows_is_written_as_csv(table: tuple[list[str], list[list[object]]], form: str) -> None:
    heads, rows = table
    objects = [dict(zip(heads, row, strict=True)) for row in rows]
    value: object = {
        "objects": objects,
        "lists": [heads, *rows],
        "columns": {head: [row[at] for row in rows] for at, head in enumerate(heads)},
        "within": {"count": len(rows), "data": objects},
    }[form]
    wanted = [["" if cell is None else str(cell) for cell in row] for row in rows]
    found = read(as_rows(json.dumps(value)))
    assert [row or [""] for row in found] == [heads, *wanted]


@given(st.text(max_size=40))
def test_text_other_than_json_stays_as_it_is(text: str) -> None:
    try:
        json.loads(text.lstrip("\ufeff"))
    except ValueError:
        assert as_rows(text) == text


@pytest.mark.parametrize("text", ["[1, 2]", '["a"]', "[]", "{}", '{"a": {"b": 1}}', '{"a": 1}'])
def test_json_without_rows_is_refused(text: str) -> None:
    with pytest.raises(Invalid, match="JSON without rows"):
        as_rows(text)


def test_objects_of_many_different_keys_are_refused_before_they_are_a_table() -> None:
    with pytest.raises(Invalid, match="fit into a plot"):
        as_rows(json.dumps([{f"key {number}": number} for number in range(50_000)]))


def test_deeply_nested_json_stays_as_it_is() -> None:
    deep = "[" * 100_000
    assert as_rows(deep) == deep


def test_json_is_written_at_each_depth_at_which_it_is_read() -> None:
    for depth in range(900, 1_000):
        deep = "[" * depth + "]" * depth
        assert as_rows(deep).replace("\n", "") in (deep, deep[2:-2])


@pytest.mark.parametrize("text", ['[["\\ud800"]]', '[{"\\udfff": 1}]', '{"a": ["\\ud83d"]}'])
def test_half_a_character_is_refused(text: str) -> None:
    with pytest.raises(Invalid, match="half of a character"):
        as_rows(text)


def test_many_lists_of_wide_rows_take_little_memory() -> None:
    wide = [dict.fromkeys(map(str, range(400)), 1), *({} for _ in range(400))]
    text = json.dumps({"count": 1, **{f"list {number}": wide for number in range(40)}})
    tracemalloc.start()
    with pytest.raises(Invalid, match="JSON without rows"):
        as_rows(text)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 20 * len(text)
