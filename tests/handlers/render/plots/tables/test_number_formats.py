"""A number format writes numbers by the rules of its language, in bounded length."""

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.render.plots.data.number_formats import (
    BadFormat,
    is_date_format,
    parse_date_format,
    parse_number_format,
)

AT = datetime(2026, 11, 5, 9, 4, 7)  # noqa: DTZ001
FINITE = st.floats(allow_nan=False, allow_infinity=False)
FORMATS = st.from_regex(
    r"\A(.?[<>=^])?[-+(]?[$€#]?0?[0-9]{0,2}[,_]?(\.[0-9]{1,2})?~?[bcdeEfFgGmnoprsxX%]?[$€]?\Z"
)


@pytest.mark.parametrize(
    "format_,value,written",
    [
        ("+,.1%", 0.0589, "+5.9%"),
        (",.1f", -1234567.891, "−1,234,567.9"),
        (",", 1234567.25, "1,234,567.25"),
        (",", 12, "12"),
        ("_", 1234567, "1_234_567"),
        (".2", 3.14159, "3.14"),
        (".2~f", 3.5, "3.5"),
        ("~s", 1500, "1.5k"),
        (".3s", 1284000, "1.28M"),
        ("3s", 999.9999, "1.00k"),
        ("s", 0.00042, "420µ"),
        ("s", 0, "0"),
        ("m", 12.34, "12.3"),
        ("$2m", 1234.5, "$1,234.50"),
        ("$.3m", -1234.5, "−$1,234.500"),
        (".4m$", 3, "3.0000$"),
        ("€0m", 1999.5, "€2,000"),
        ("d", 12.5, "13"),
        (",d", 1234567, "1,234,567"),
        ("x", 255, "ff"),
        ("#X", 255, "0XFF"),
        ("#b", 5, "0b101"),
        ("o", 8, "10"),
        (".2e", 0.00012, "1.20e-04"),
        (".3g", 1234.5, "1.23e+03"),
        ("r", 123456.789, "123457"),
        (".2r", 1234, "1200"),
        (".3p", 0.12345, "12.3%"),
        ("%", 0.256, "26%"),
        (".0%", -0.001, "0%"),
        (".1f", -0.04, "0.0"),
        (".1f", 8.25, "8.3"),
        (".2f", 2.675, "2.68"),
        ("(,.0f", -12.6, "(13)"),
        ("(,.0f", 12.6, "13"),
        ("08.1f", -3.14, "−00003.1"),
        ("*^10", 5, "****5*****"),
        ("<6", 5, "5     "),
        ("n", 12345.5, "12,345.5"),
        ("c", 7.5, "7.5"),
        (".1f", 1e300, "1.0e+300"),
    ],
)
def test_a_number_by_its_format(format_: str, value: float, written: str) -> None:
    assert parse_number_format(format_)(value) == written


@pytest.mark.parametrize(
    "format_", ["", "hello", "..", ".999999999f", "1000000000d", ".21f", "41d", "%%", ",,", "f" * 60, "🙂"]
)
def test_wrong_and_too_long_formats_are_refused(format_: str) -> None:
    with pytest.raises(BadFormat, match=r"format|asks for too much"):
        parse_number_format(format_)


@given(FORMATS, FINITE)
def test_every_format_writes_every_number_shortly(format_: str, value: float) -> None:
    try:
        write = parse_number_format(format_)
    except BadFormat:
        return
    assert 1 <= len(write(value)) <= 120


@given(st.integers(0, 9), st.floats(-1e9, 1e9))
def test_decimals_round_to_the_nearest(decimals: int, value: float) -> None:
    written = parse_number_format(f",.{decimals}f")(value)
    read = float(written.replace(",", "").replace("−", "-"))
    assert abs(read - value) <= 0.5 * 10**-decimals + 1e-6
    assert len(written.partition(".")[2]) == decimals
    assert written.startswith("−") == (read < 0)


@given(st.floats(1e-9, 1e15))
def test_a_prefix_keeps_three_digits_that_matter(value: float) -> None:
    written = parse_number_format(".3s")(value)
    powers = {sign: 1000.0 ** (step - 8) for step, sign in enumerate("yzafpnµm kMGTPEZY")}
    number, power = (written[:-1], powers[written[-1]]) if not written[-1].isdigit() else (written, 1.0)
    assert abs(float(number) * power - value) <= value * 0.0051


@pytest.mark.parametrize(
    "format_,written,code",
    [
        ("%d %b %Y", "05 Nov 2026", "dd mmm yyyy"),
        ("%-d.%-m.%y", "5.11.26", "d.m.yy"),
        ("%A, %B %e", "Thursday, November 5", "dddd, mmmm d"),
        ("%H:%M:%S", "09:04:07", "hh:mm:ss"),
        ("%a at %H", "Thu at 09", 'ddd "a""t" hh'),
        ("%YQ%q", "2026Q4", 'yyyy"Q"'),
        ("%Y%%", "2026%", 'yyyy"%"'),
    ],
)
def test_a_date_by_its_format(format_: str, written: str, code: str) -> None:
    assert is_date_format(format_)
    assert parse_date_format(format_)(AT) == written
    assert parse_date_format(format_).spreadsheet_code == code


@pytest.mark.parametrize("format_", ["%Q", "%Y %", "%d" * 30, "%Y %c"])
def test_a_wrong_format_of_dates_is_refused(format_: str) -> None:
    with pytest.raises(BadFormat, match="no format of dates"):
        parse_date_format(format_)


def test_a_percent_sign_alone_is_not_a_format_of_dates() -> None:
    assert [is_date_format(format_) for format_ in (",.1%", "%", "%Y", "%-d")] == [False, False, True, True]
