"""Tables in JSON are read as the same tables in CSV, in each form that programs write."""

import json
from pathlib import Path

import pandas
import pytest
import vega_datasets
from hypothesis import given, settings
from hypothesis import strategies as st

from handlers.render.plots.data.delimited_rows import MOST_CELLS
from handlers.render.plots.data.json_rows import delimited_text
from handlers.render.plots.data.table_text import TooManyCells, read_cells, read_frame

PUBLIC = sorted(Path(vega_datasets.__file__).parent.glob("_data/*.json"))
WORDS = st.text(st.sampled_from('ab,;"\n é'), min_size=1, max_size=6).map(lambda word: f"w{word}w")
ROWS = st.lists(
    st.tuples(WORDS, st.integers(-(10**6), 10**6), st.floats(-1e6, 1e6).map(lambda one: round(one, 3))),
    min_size=2,
    max_size=6,
)


@given(ROWS, st.sampled_from(["records", "lines", "list", "values"]))
@settings(max_examples=60, deadline=None)
def test_json_of_pandas_is_read_like_its_csv(rows: list[tuple[str, int, float]], way: str) -> None:
    table = pandas.DataFrame(rows, columns=["name", "count", "share"])
    if way == "list":
        text = json.dumps(table.to_dict(orient="list"))
    elif way == "values":
        text = json.dumps([[*table.columns], *table.values.tolist()])
    else:
        text = table.to_json(orient="records", lines=way == "lines", force_ascii=False, double_precision=15)
    read = read_frame(text)
    assert [column.name for column in read.columns] == ["name", "count", "share"]
    assert [*read.columns[0].texts] == [*table["name"]]
    assert [list(column.numbers) for column in read.series] == [[*map(float, table["count"])], [*table.share]]
    assert not read.notation.guesses
    assert read.rejected == ()


def test_the_usual_json_of_pandas_has_columns_of_named_rows() -> None:
    table = pandas.DataFrame({"jan": [1.204, None], "feb": [3, 4]}, index=["oslo", "rome"])
    assert read_cells(table.to_json()) == (
        ",",
        [["", "jan", "feb"], ["oslo", "1.2040", "3"], ["rome", "", "4"]],
    )


@pytest.mark.parametrize(
    ("text", "cells"),
    [
        ('{"Oslo": 3, "Rome": true}', [["name", "value"], ["Oslo", "3"], ["Rome", "true"]]),
        ('{"count": 2, "results": [{"a": 1}, {"b": {"c": 2}}]}', [["a", "b"], ["1", ""], ["", "…"]]),
        ('\ufeff [{"a": NaN, "b": "1,5"}]\n', [["a", "b"], ["", "1,5"]]),
        ('{"a": [1, 2], "b": [3]}', [["a", "b"], ["1", "3"], ["2", ""]]),
        ('{"a": 1}\r\n{"a": 2}\r\n', [["a"], ["1"], ["2"]]),
    ],
)
def test_other_tables(text: str, cells: list[list[str]]) -> None:
    assert read_cells(text)[1] == cells


@pytest.mark.parametrize(
    "text",
    ["[a],b\n1,2\n", "{", "[]", "{}", "[1, 2]", '{"a": [1], "b": 2}', '{"x":' + "[" * 100_000, "x,y\n1,2"],
)
def test_any_other_text_stays_as_it_is(text: str) -> None:
    assert delimited_text(text) == text


def test_rows_with_different_names_make_no_endless_table() -> None:
    with pytest.raises(TooManyCells):
        read_frame(json.dumps([{f"name {row}": row} for row in range(2_000)]))
    with pytest.raises(TooManyCells):
        read_frame(json.dumps({f"column {one}": {f"row {one}": 1} for one in range(2_000)}))


@pytest.mark.parametrize("path", PUBLIC, ids=lambda path: path.name)
def test_public_json_is_read_as_its_csv(path: Path) -> None:
    table = json.loads(path.read_text())
    if not (isinstance(table, list) and all(isinstance(row, dict) for row in table)):
        return
    try:
        read = read_frame(path.read_text())
    except TooManyCells as error:
        assert len(table) * max(map(len, table)) > MOST_CELLS, error  # noqa: PT017
        return
    names = [*dict.fromkeys(name for row in table for name in row)]
    assert (read.height, [column.name for column in read.columns]) == (len(table), names)
