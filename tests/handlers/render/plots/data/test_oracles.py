"""Tables are read as Python's csv and pandas read them: written ones, and those of a public collection."""

import csv
import io
import json
import math
from pathlib import Path

import pandas
import pytest
import vega_datasets
from hypothesis import given, settings
from hypothesis import strategies as st

from handlers.render.plots.data.delimited_rows import RowReport, read_rows, split_rows
from handlers.render.plots.data.frame import Column, ColumnType, Frame
from handlers.render.plots.data.table_text import TooManyCells, read_frame

PUBLIC = sorted(
    path
    for path in (Path(vega_datasets.__file__).parent / "_data").iterdir()
    if path.suffix in (".csv", ".tsv", ".json")
)
CELL = st.text(st.sampled_from('ab1 "\n,;\t.é'), max_size=8).map(str.strip)
NAMES = st.sampled_from(["north", "south", "total cost", "x"])
NOTATIONS = [
    (",", ".", ","),
    (";", ",", "."),
    ("\t", ".", ","),
    ("\t", ",", "."),
    (";", ",", " "),
    (",", ".", " "),
]
"""Delimiter, decimal mark and mark of groups, as tables are written."""


@pytest.mark.soak
@given(st.data(), st.sampled_from([",", ";", "\t", "|"]), st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]))
@settings(max_examples=200, deadline=None)
def test_quotes_are_read_as_by_csv(data: st.DataObject, delimiter: str, quoting: int) -> None:
    width = data.draw(st.integers(1, 4))
    rows = data.draw(st.lists(st.lists(CELL, min_size=width, max_size=width), min_size=1, max_size=6))
    made = io.StringIO()
    csv.writer(made, delimiter=delimiter, quoting=quoting, lineterminator="\n").writerows(rows)  # type: ignore[arg-type]
    report = RowReport()
    read = [row for _, row in split_rows(made.getvalue(), delimiter, report)]
    assert read == list(csv.reader(io.StringIO(made.getvalue()), delimiter=delimiter))
    assert not [note for note in report.notes if "part of its cell" in note]


@pytest.mark.soak
@given(st.text(st.sampled_from('a1 "\n,'), max_size=60))
@settings(max_examples=300, deadline=None)
def test_no_sign_of_a_text_is_lost_to_its_quotes(text: str) -> None:
    report = RowReport()
    rows = read_rows(text, ",", report)
    kept = sorted("".join(cell for _, row in rows for cell in row).replace('"', "").replace(" ", ""))
    # only delimiters between cells and line ends between rows are left out
    assert [sign for sign in kept if sign not in ",\n"] == sorted(sign for sign in text if sign in "a1")


def _written(value: float, decimal: str, group: str) -> str:
    text = f"{value:,}" if group else str(value)
    return text.replace(",", "\0").replace(".", decimal).replace("\0", group)


@pytest.mark.soak
@given(
    st.sampled_from(NOTATIONS),
    st.booleans(),
    st.lists(st.floats(-1e6, 1e6).map(lambda value: round(value, 2)), min_size=1, max_size=8),
    st.data(),
)
@settings(max_examples=200, deadline=None)
def test_a_notation_is_found_by_all_columns_together(
    notation: tuple[str, str, str], grouped: bool, amounts: list[float], data: st.DataObject
) -> None:
    delimiter, decimal, group = notation
    size = len(amounts) + 1
    counts = data.draw(st.lists(st.integers(-(10**7), 10**7), min_size=size, max_size=size))
    made = io.StringIO()
    writer = csv.writer(made, delimiter=delimiter, lineterminator="\n")
    writer.writerow(["name", "count", "amount"])
    for row, (count, amount) in enumerate(zip(counts, [*amounts, 0.25], strict=True)):
        marks = decimal, group if grouped else ""
        writer.writerow([f"row {row}", _written(count, *marks), _written(amount, *marks)])
    frame = read_frame(made.getvalue())
    oracle = pandas.read_csv(
        io.StringIO(made.getvalue()), sep=delimiter, decimal=decimal, thousands=group if grouped else None
    )
    assert frame.notation.comma == (decimal == ",")
    assert [list(column.numbers) for column in frame.series] == [
        [float(value) for value in oracle[name]] for name in ("count", "amount")
    ]
    assert frame.rejected == ()


def _public_table(path: Path) -> str:
    if path.suffix != ".json":
        return path.read_text()
    return str(pandas.DataFrame(json.loads(path.read_text())).to_csv(index=False))


def _agrees(column: Column, oracle: "pandas.Series[float]") -> None:
    """Numbers are the same numbers; a column of numbers may be years, where it is the first one."""
    if column.type is ColumnType.DATE:
        years = [None if date is None else date.year for date in column.dates]
        assert years == [None if value != value else int(value) for value in oracle]
        return
    assert column.type is ColumnType.NUMBER, column.name
    for ours, theirs in zip(column.numbers, oracle, strict=True):
        assert (ours is None and theirs != theirs) or (
            ours is not None and math.isclose(ours, theirs, rel_tol=1e-12)
        )


def _read(text: str) -> Frame:
    try:
        return read_frame(text)
    except TooManyCells:
        return read_frame(text[: text.rindex("\n", 0, 400_000) + 1])


@pytest.mark.parametrize("path", PUBLIC, ids=lambda path: path.name)
def test_public_tables_are_read_as_by_pandas(path: Path) -> None:
    text = _public_table(path)
    frame = _read(text)
    oracle = pandas.read_csv(io.StringIO(text), sep=frame.delimiter, nrows=frame.height, low_memory=False)
    assert (frame.height, len(frame.columns)) == oracle.shape
    assert [column.name for column in frame.columns] == list(oracle.columns)
    numeric = [oracle.iloc[:, index].dtype.kind in "if" for index in range(len(frame.columns))]
    for index, column in enumerate(frame.columns):
        series = oracle.iloc[:, index]
        if numeric[index] and not series.isna().all():
            _agrees(column, series)
        elif column.type is ColumnType.DATE:
            dates = pandas.to_datetime(series, format="mixed", utc=False)
            assert list(column.dates) == [date.to_pydatetime() for date in dates]
        else:
            assert column.type is ColumnType.TEXT or column.unit
