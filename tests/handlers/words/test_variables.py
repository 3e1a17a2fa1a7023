"""Values as people read them: numbers by their format, money, dates, and the colours of terminals."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as some

from handlers.words.terminal_signs import safe_text
from handlers.words.variables import ansi, format_value, is_number

NUMBERS = some.floats(min_value=-1e15, max_value=1e15).map(str)
FORMATS = some.tuples(
    some.sampled_from(["", "+"]),
    some.sampled_from(["", ","]),
    some.sampled_from(["", ".0", ".1", ".3"]),
    some.sampled_from(["", "f", "%"]),
).map(lambda marks: "".join(marks) if marks != ("", "", "", "%") else ".0%")


@pytest.mark.parametrize(
    ("value", "format", "shown"),
    [
        ("0.0589", "+,.1%", "+5.9%"),
        ("-0.0589", "+,.1%", "−5.9%"),
        ("1234567.891", ",.2f", "1,234,567.89"),
        ("1234567.891", ".2", "1234567.89"),
        ("12.7", "", "13"),
        ("0", "+", "+0"),
        ("1e3", ",", "1,000"),
        ("1234.5", "$2m", "$1,234.50"),
        ("-1234.5", "€0m", "€−1,234"),
        ("7", "£1m", "£7.0"),
        ("7", "$2", "7"),
        ("7", "st", "7"),
        ("7", "%d", "7"),
        ("curlew", ",.1%", "curlew"),
        ("nan", ".1", "nan"),
        ("1_000", ",", "1_000"),
        ("1e999", ",", "1e999"),
        ("", ".2", ""),
    ],
)
def test_a_value_follows_its_format(value: str, format: str, shown: str) -> None:
    assert format_value(value, "number", format) == shown


def test_a_text_is_shown_as_it_is() -> None:
    assert format_value("0.5", "text", ".1%") == "0.5"


@pytest.mark.parametrize(
    ("value", "format", "shown"),
    [
        ("2026-11-21", "%d %b %Y", "21 Nov 2026"),
        ("2026-11-21T07:44:16Z", "%H:%M", "07:44"),
        ("2026-11-21", "", "2026-11-21"),
        ("2026-11-21", "%99999d", "2026-11-21"),
        ("2026-11-21", "100%", "2026-11-21"),
        ("next week", "%d %b %Y", "next week"),
    ],
)
def test_a_date_follows_a_format_of_strftime(value: str, format: str, shown: str) -> None:
    assert format_value(value, "date", format) == shown


@given(NUMBERS, FORMATS)
def test_a_formatted_number_reads_back_as_the_nearest_of_its_decimals(value: str, format: str) -> None:
    shown = format_value(value, "number", format)
    read = Decimal(shown.replace("−", "-").replace(",", "").rstrip("%"))
    wanted = Decimal(float(value) * 100 if "%" in format else float(value))
    decimals = int(format.partition(".")[2][:1] or 0)
    assert abs(read - wanted) <= Decimal(10) ** -decimals / 2
    assert shown.endswith("%") == ("%" in format)
    assert shown.startswith("−") == (float(value) < 0)
    assert "-" not in shown


@given(NUMBERS, FORMATS)
def test_grouping_only_adds_commas(value: str, format: str) -> None:
    plain = "f" + format.replace(",", "")
    grouped = format_value(value, "number", f"{plain},")
    assert grouped.replace(",", "") == format_value(value, "number", plain)


@given(
    some.text(max_size=50), some.text(max_size=50), some.sampled_from(["number", "date", "text", "relative"])
)
def test_any_text_by_any_format_is_shown_somehow(value: str, format: str, kind: str) -> None:
    shown = ansi(value, kind, format, "x")
    assert safe_text(format_value(value, kind, format)) in shown


@pytest.mark.parametrize(
    ("value", "threshold", "arrow", "colour"),
    [("2", "1", "▲", "92"), ("-1", "", "▼", "91"), ("0", "", "▶", "97"), ("1", "2.5", "▼", "91")],
)
def test_a_relative_value_points_where_it_stands(value: str, threshold: str, arrow: str, colour: str) -> None:
    shown = ansi(value, "relative", "+", threshold)
    assert arrow in shown
    assert f"\x1b[{colour}m" in shown
    assert shown.endswith("\x1b[0m")


def test_other_types_have_a_grey_ground_and_no_arrow() -> None:
    assert ansi("2", "number", "+") == "\x1b[48;5;238m\x1b[97m +2 \x1b[0m"
    assert ansi("soon", "relative") == "\x1b[48;5;238m\x1b[97m soon \x1b[0m"
    assert ansi("", "number") == ""


def test_a_threshold_is_a_finite_number() -> None:
    assert [is_number(text) for text in ("1", " -2.5e3 ", "inf", "")] == [True, True, False, False]
