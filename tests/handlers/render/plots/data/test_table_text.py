"""The text of a plot's data is read as its sender meant it, and any text is read without a failure."""

import math
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handlers.render.plots.data.frame import ColumnType
from handlers.render.plots.data.table_text import MOST_CELLS, TooManyCells, read_frame


@pytest.mark.parametrize(
    "text,delimiter",
    [
        ("month,north,south\nJan,12,8\nFeb,15,9\n", ","),
        ("month;north;south\nJan;1,5;8\nFeb;2,25;9\n", ";"),
        ("month\tnorth\tsouth\nJan\t12\t8\nFeb\t15\t9\n", "\t"),
        ("month   north  south\nnew year   12  8\nFeb     15  9\n", "  "),
    ],
)
def test_the_delimiter_is_found(text: str, delimiter: str) -> None:
    frame = read_frame(text)
    assert frame.delimiter == delimiter
    assert [column.type for column in frame.columns] == [
        ColumnType.TEXT,
        ColumnType.NUMBER,
        ColumnType.NUMBER,
    ]


@pytest.mark.parametrize(
    "cell,number",
    [
        ("1,234.5", 1234.5),
        ("-0.35", -0.35),
        ("\u22124", -4.0),
        ("€ 12", 12.0),
        ("60%", 0.6),
        ("2e3", 2000.0),
    ],
)
def test_a_number_is_read_however_it_is_written(cell: str, number: float) -> None:
    frame = read_frame(f'name,value\na,"{cell}"\n')
    assert frame.series[0].numbers == (number,)


def test_the_decimal_mark_is_decided_for_each_column() -> None:
    frame = read_frame("a;b;c\nx;1 234,5;1.5\ny;0,25;2.5\n")
    assert [column.numbers for column in frame.series] == [(1234.5, 0.25), (1.5, 2.5)]


@pytest.mark.parametrize("gap", ["", "NA", "n/a", "nan", "null", "-", "–"])
def test_a_gap_is_neither_a_number_nor_a_mistake(gap: str) -> None:
    frame = read_frame(f"a,b\nx,1\ny,{gap}\nz,3\n")
    assert frame.series[0].numbers == (1.0, None, 3.0)
    assert frame.rejected == ()


@pytest.mark.parametrize(
    "cell,moment",
    [
        ("2026-11-20", datetime(2026, 11, 20, tzinfo=UTC)),
        ("2026-11", datetime(2026, 11, 1, tzinfo=UTC)),
        ("2026-Q3", datetime(2026, 7, 1, tzinfo=UTC)),
        ("2026", datetime(2026, 1, 1, tzinfo=UTC)),
        ("2026-11-20T12:30:00+02:00", datetime(2026, 11, 20, 12, 30, tzinfo=UTC)),
    ],
)
def test_a_date_is_a_moment(cell: str, moment: datetime) -> None:
    assert read_frame(f"when,value\n{cell},1\n").moments == (moment.replace(tzinfo=None),)


def test_text_among_numbers_is_noted_with_its_line() -> None:
    frame = read_frame("a,b\nx,1\ny,two\nz,3\nw,1e999\nv,5\nu,6\n")
    assert [(one.line, one.reason) for one in frame.rejected] == [
        (3, '"two" in column "b" is no number'),
        (5, '"1e999" in column "b" is no number'),
    ]


def test_rows_of_dates_come_in_the_order_of_time() -> None:
    frame = read_frame("d,v\n2026-03-01,3\n2026-01-01,1\n2026-02-01,2\n").sorted_along()
    assert frame.series[0].numbers == (1.0, 2.0, 3.0)


def test_a_byte_order_mark_and_windows_line_ends_change_nothing() -> None:
    assert read_frame("\ufeffa,b\r\nx,1\r\n") == read_frame("a,b\nx,1\n")


def test_columns_of_one_name_get_different_names() -> None:
    assert [column.name for column in read_frame("a,b,b,\nx,1,2,3\n").columns] == [
        "a",
        "b",
        "b (2)",
        "column 4",
    ]


def test_data_of_too_many_cells_are_refused_before_they_are_read_whole() -> None:
    with pytest.raises(TooManyCells, match="about 400,002 cells, and 200,000 fit"):
        read_frame("a,b\n" + "1,2\n" * MOST_CELLS)


@given(st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=300))
@settings(max_examples=300, deadline=None)
def test_any_text_is_read_as_some_frame(text: str) -> None:
    frame = read_frame(text)
    assert all(len(column) == frame.height for column in frame.columns)
    numbers = [value for column in frame.series for value in column.numbers if value is not None]
    assert all(math.isfinite(value) for value in numbers)
