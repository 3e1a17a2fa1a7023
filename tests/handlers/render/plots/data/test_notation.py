"""Numbers and dates are read by the notation of the whole file; guesses and omissions are noted."""

from datetime import datetime

import pytest

from handlers.render.plots.data.data_check import check_data
from handlers.render.plots.data.dates_written import read_date
from handlers.render.plots.data.frame import ColumnType, Frame
from handlers.render.plots.data.numbers import AS_YEARS, PER_CENT
from handlers.render.plots.data.table_text import read_frame
from handlers.render.plots.data.type_columns import plot_frame
from handlers.words.plot import Plot


def column(*cells: str, delimiter: str = "\t", beside: str = "1") -> Frame:
    """The frame of a column of cells between names and numbers."""
    rows = [delimiter.join(("name", "value", "other"))]
    rows += [delimiter.join((f"row {index}", cell, beside)) for index, cell in enumerate(cells)]
    return read_frame("\n".join(rows) + "\n")


def drawn(text: str, word: str) -> Frame:
    return plot_frame(Plot(text, {"type": word}))


@pytest.mark.parametrize(
    "cells,numbers,unit",
    [
        (("(20)", "(5.5)", "10"), (-20.0, -5.5, 10.0), ""),
        (("5-", "3"), (-5.0, 3.0), ""),
        (("12%", "5 %", "5.9%"), (0.12, 0.05, 0.059), PER_CENT),
        (("$1,204.50", "-$3", "$-4", "($5)"), (1204.5, -3.0, -4.0, -5.0), "$"),
        (("1.204,50 €", "3 €"), (1204.5, 3.0), "€"),
        (("CHF 1'234.50", "CHF 2"), (1234.5, 2.0), "CHF"),
        (("12 kg", "7.5kg"), (12.0, 7.5), "kg"),
        (("20 °C", "-3 °C"), (20.0, -3.0), "°C"),
        (("1'234", "1’234’567"), (1234.0, 1234567.0), ""),
        (("12,34,567", "1,00,000.5"), (1234567.0, 100000.5), ""),
        (("1\u2009234\u2009567.891\u20095", "2"), (1234567.8915, 2.0), ""),
        (("1\u202f234,5", "2\u00a0000"), (1234.5, 2000.0), ""),
        (("\u22124", "+3"), (-4.0, 3.0), ""),
        (("1e5", "2.5E-3"), (100000.0, 0.0025), ""),
    ],
)
def test_a_number_is_read_as_it_is_written(
    cells: tuple[str, ...], numbers: tuple[float, ...], unit: str
) -> None:
    frame = column(*cells)
    assert frame.columns[1].numbers == pytest.approx(numbers)
    assert frame.columns[1].unit == unit
    assert frame.rejected == ()


@pytest.mark.parametrize(
    "cell", ["5'11", "1'05", "E10", "12E", "1.2.3", "--5", "(5", "1990s", "12A", "5+", "0x1F"]
)
def test_text_that_looks_like_a_number_is_text(cell: str) -> None:
    assert column(cell, cell).columns[1].type is ColumnType.TEXT


def test_codes_with_leading_zeros_are_text_and_are_noted() -> None:
    frame = column("01234", "90210", "10001")
    assert frame.columns[1].type is ColumnType.TEXT
    assert "digits after a leading zero are codes" in frame.notes[0]


@pytest.mark.parametrize(
    "text,numbers,guess",
    [
        ("Stadt;Anteil;Einwohner\nA;12,5;1.200\nB;7,25;950\nC;3,1;12.000\n", (1200, 950, 12000), False),
        ("name;price;qty\nA;12.50;1,234\nB;3.25;2,500\n", (1234, 2500), False),
        ("name\tprice\tqty\nA\t12,50\t1.234\nB\t3,25\t0,5\n", (1234, 0.5), False),
        ("name;x;qty\nA;1;1.200\nB;2;950\n", (1200, 950), True),
        ("name;x;qty\nA;1;1.200\nB;2;12.000\n", (1200, 12000), True),
        ("name,x,qty\nA,1,1.200\nB,2,12.000\n", (1.2, 12), True),
        ('name,x,qty\nA,1,"1,200"\nB,2,"12,000"\n', (1200, 12000), True),
        ("name,x,qty\nA,1,0.950\nB,2,12.000\n", (0.95, 12), False),
        ("name;x;qty\nA;1;1.234.567\nB;2;1.200\n", (1234567, 1200), False),
    ],
)
def test_columns_decide_the_decimal_mark_together(text: str, numbers: tuple[float, ...], guess: bool) -> None:
    assert read_frame(text).columns[2].numbers == numbers
    check = check_data(text, "bar")
    assert check["guess"] == guess
    assert any("a guess" in note and '"qty"' in note for note in check["notes"]) == guess


@pytest.mark.parametrize(
    "cell,moment",
    [
        ("2024/01/31", (2024, 1, 31)),
        ("31.01.2024", (2024, 1, 31)),
        ("31 Jan 2024", (2024, 1, 31)),
        ("Jan 2024", (2024, 1, 1)),
        ("Jan-24", (2024, 1, 1)),
        ("Oct '99", (1999, 10, 1)),
        ("2024-W05", (2024, 1, 29)),
        ("2024Q3", (2024, 7, 1)),
        ("Q3 2024", (2024, 7, 1)),
        ("01/31/2024", (2024, 1, 31)),
        ("31/01/2024 08:30", (2024, 1, 31, 8, 30)),
        ("5. März 2024", (2024, 3, 5)),
        ("March 5, 2024", (2024, 3, 5)),
        ("1/31/2024 2:30 PM", (2024, 1, 31, 14, 30)),
        ("01/2024", (2024, 1, 1)),
        ("2024-01-31 08:30:00 +0100", (2024, 1, 31, 8, 30)),
        ("2024-01-31T23:30:00-05:00", (2024, 1, 31, 23, 30)),
        ("9999-12-31T23:30:00-05:00", (9999, 12, 31, 23, 30)),
    ],
)
def test_a_date_in_a_plain_order_is_a_moment_as_it_is_written(cell: str, moment: tuple[int, ...]) -> None:
    assert read_frame(f"when\tv\n{cell}\t1\n").moments == (datetime(*moment),)  # type: ignore[arg-type]  # noqa: DTZ001


@pytest.mark.parametrize(
    "cell", ["0000-01-01", "10000-01-01", "2024-02-30", "2024-13", "2024-W54", "2024Q5", "31 Foo 2024"]
)
def test_text_that_is_not_a_date_has_no_moment(cell: str) -> None:
    assert read_date(cell) is None


@pytest.mark.parametrize(
    "cells,first,guess",
    [
        (("1/2/2024", "13/2/2024"), datetime(2024, 2, 1), False),  # noqa: DTZ001
        (("1/2/2024", "2/13/2024"), datetime(2024, 1, 2), False),  # noqa: DTZ001
        (("1/2/2024", "3/4/2024"), datetime(2024, 1, 2), True),  # noqa: DTZ001
        (("Jan-24", "Apr-24"), datetime(2024, 1, 1), True),  # noqa: DTZ001
    ],
)
def test_the_order_of_days_and_months_is_decided_by_the_column(
    cells: tuple[str, ...], first: datetime, guess: bool
) -> None:
    frame = read_frame("d,v\n" + "".join(f"{cell},1\n" for cell in cells))
    assert frame.columns[0].dates[0] == first
    assert bool(frame.notes) == guess


def test_days_are_those_that_were_written_at_any_offset() -> None:
    frame = read_frame(
        "day,v\n2024-03-01T00:00:00+01:00,1\n2024-03-31T00:00:00+01:00,2\n2024-04-01T00:00:00+02:00,3\n"
    )
    assert [moment.day for moment in frame.moments or ()] == [1, 31, 1]
    assert not frame.columns[0].clock
    assert "several offsets" in frame.notes[0]


def test_rows_without_a_date_leave_the_others_dates() -> None:
    frame = drawn("date,v\n2024-01-01,1\n,5\n2024-01-03,3\nsoon,4\n2024-03-01,3\n", "line")
    assert frame.columns[0].type is ColumnType.DATE
    assert [date and date.day for date in frame.columns[0].dates] == [1, None, 3, None, 1]
    assert [(one.line, one.reason) for one in frame.rejected] == [(5, '"soon" in column "date" is no date')]


def test_a_calendar_has_no_days_beyond_its_weeks() -> None:
    frame = drawn("d,v\n0001-01-01,1\n2024-01-01,2\n9999-12-31,3\n", "calendar")
    assert [date and date.year for date in frame.columns[0].dates] == [None, 2024, None]
    assert frame.notes[0].endswith("have no place in a calendar: 2")


@pytest.mark.parametrize("word", ["scatter", "bubble", "hist", "box", "value"])
def test_numbers_from_1500_to_2199_are_numbers_where_a_type_needs_some(word: str) -> None:
    frame = drawn("weight,mpg\n1613,30\n1800,25\n2130,20\n", word)
    assert frame.columns[0].numbers == (1613.0, 1800.0, 2130.0)


def test_years_are_written_without_groups() -> None:
    assert drawn("year,v\n2001,1\n2002,2\n", "scatter").columns[0].unit == AS_YEARS
    assert drawn("year,v\n2001,1\n2002,2\n", "line").moments is not None


@pytest.mark.parametrize(
    "text,values,start",
    [
        ('item,n\npipe,3\n"6 inch pipe,4\nbolt,5\n"nut",6\nend,7\n', (3, 4, 5, 6, 7), "line 3"),
        ('n,v\nx,1\ny,2\n"abc,3\nd,4\ne,5\n', (1, 2, 3, 4, 5), "line 4"),
        ('n,v\n"two\nlines",1\nx,2\n', (1, 2), "line 2"),
        ('n,v\n5" pipe,1\n"say ""x""",2\n', (1, 2), ""),
    ],
)
def test_an_open_quotation_mark_is_noted_and_loses_no_line(
    text: str, values: tuple[float, ...], start: str
) -> None:
    frame = read_frame(text)
    assert frame.series[0].numbers == values
    assert [note for note in frame.notes if note.startswith(start)] == list(frame.notes)
    assert bool(frame.notes) == bool(start)


def test_a_first_line_may_name_the_delimiter_and_lines_stay_counted() -> None:
    frame = read_frame("\ufeffsep=|\r\na|b\r\nx|1\r\ny|two\r\nz|3\r\n")
    assert frame.delimiter == "|"
    assert [(one.line, one.column) for one in frame.rejected] == [(4, "b")]


def test_a_column_that_is_half_unreadable_is_noted_with_its_cells() -> None:
    (note,) = column("1", "a", "b", "c", "d", "e", "f").notes
    assert note.startswith(
        'column "value" is text: 1 of 7 cells are numbers, and these are not: "a" (line 3)'
    )
    assert note.endswith("and 1 more")


def test_cells_in_another_unit_are_noted() -> None:
    frame = column("12 kg", "7 kg", "300 g", "5")
    assert frame.columns[1].numbers == (12.0, 7.0, None, 5.0)
    assert frame.rejected[0].reason == '"300 g" in column "value" is no number in kg'
    assert "without (1)" in frame.notes[0]


def test_shares_beside_plain_numbers_are_noted() -> None:
    frame = column("12%", "0.5")
    assert frame.columns[1].numbers == (0.12, 0.5)
    assert "mixes numbers in per cent (1) and without (1)" in frame.notes[0]


def test_units_that_differ_are_noted() -> None:
    (note,) = drawn("n,a,b\nx,1 kg,$2\n", "bar").notes
    assert note == "the series have several units ($, kg), and the axis names none of them"


def test_a_column_of_decimal_commas_is_one_column() -> None:
    assert read_frame("value\n1,5\n2,25\n").series[0].numbers == (1.5, 2.25)


def test_delimiters_that_fit_alike_are_a_guess() -> None:
    assert "a guess" in read_frame("a,b;c\nx,1;2\ny,2;3\n").notes[0]


def test_reading_is_linear_in_quotes() -> None:
    hard = "n,v\n" + '"a""b,' * 40_000
    assert read_frame(hard).rejected


def test_days_without_separators_are_noted_as_numbers() -> None:
    check = check_data("day,v\n20240131,1\n20240201,2\n", "line")
    assert check["columns"][0]["type"] == ColumnType.NUMBER
    assert check["notes"] == ['column "day" is read as numbers; if 20240131 is a day, write it as 2024-01-31']
    assert check_data("id,v\n20240131,1\n20241301,2\n", "line")["notes"] == []
