"""Sizes and times as people say them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.settings.quantities import Unit, parse_quantity, quantity_text, rounded_size


@pytest.mark.parametrize(
    ("text", "unit", "number"),
    [
        ("1073741824", Unit.BYTES, 1 << 30),
        ("1G", Unit.BYTES, 1 << 30),
        ("1.5 GiB", Unit.BYTES, 3 << 29),
        ("512mb", Unit.BYTES, 512 << 20),
        ("10B", Unit.BYTES, 10),
        ("19M", Unit.KIB, 19 << 10),
        ("19456", Unit.KIB, 19_456),
        ("30", Unit.DAYS, 30),
        ("4w", Unit.DAYS, 28),
        ("12h", Unit.DAYS, 0.5),
        ("5.0", Unit.SECONDS, 5),
        ("1.5s", Unit.SECONDS, 1.5),
        ("90 min", Unit.SECONDS, 5_400),
        ("2 Hours", Unit.SECONDS, 7_200),
    ],
)
def test_a_quantity_is_taken(text: str, unit: Unit, number: float) -> None:
    assert parse_quantity(text, unit) == number


@pytest.mark.parametrize("text", ["", "G", "1iB", "-1", "1e3", "one", "1 2", "1X", "30d", "٣", "nan"])
def test_what_is_no_size_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(ValueError, match="say a number of bytes, or one such as 512M or 1G"):
        parse_quantity(text, Unit.BYTES)


@pytest.mark.parametrize("text", ["1G", "1 month", "-5 days", "1d2h"])
def test_what_is_no_time_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(ValueError, match="say a number of days, or one such as 90s, 12h or 30d"):
        parse_quantity(text, Unit.DAYS)


@pytest.mark.parametrize("text", ["9" * 18 + "T", "9" * 18 + "K"])
def test_what_is_beyond_all_machines_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is too large"):
        parse_quantity(text, Unit.BYTES)


@pytest.mark.parametrize(
    ("number", "unit", "text"),
    [
        (1 << 30, Unit.BYTES, "1G"),
        (3 << 29, Unit.BYTES, "1536M"),
        (1000, Unit.BYTES, "1000"),
        (0, Unit.BYTES, "0"),
        (0.5, Unit.KIB, "512B"),
        (30, Unit.DAYS, "30d"),
        (3600.0, Unit.SECONDS, "1h"),
        (2.5, Unit.SECONDS, "2.5s"),
        (0, Unit.SECONDS, "0s"),
    ],
)
def test_a_quantity_is_said_shortly(number: float, unit: Unit, text: str) -> None:
    assert quantity_text(number, unit) == text


@pytest.mark.parametrize(
    ("number", "text"),
    [(0, "0"), (261, "261"), (1 << 10, "1K"), (1_234_567, "1.18M"), (1023 << 20, "1023M"), (20 << 30, "20G")],
)
def test_a_size_in_a_table_is_rounded(number: int, text: str) -> None:
    assert rounded_size(number) == text


@given(st.integers(0, 1 << 50), st.sampled_from(list(Unit)))
def test_what_is_said_is_read_as_it_was(number: int, unit: Unit) -> None:
    assert parse_quantity(quantity_text(number, unit), unit) == number


@given(
    st.decimals(0, 10**9, places=9).map(lambda number: f"{number:f}"),
    st.sampled_from(["", "s", "m", "h", "d", "w"]),
)
def test_a_part_of_a_unit_is_read_as_it_was_said(number: str, mark: str) -> None:
    read = parse_quantity(f"{number}{mark}", Unit.SECONDS)
    assert parse_quantity(quantity_text(read, Unit.SECONDS), Unit.SECONDS) == read


@given(st.floats(1e18, 4.6e18), st.sampled_from((Unit.BYTES, Unit.SECONDS)))
def test_what_is_very_large_is_read_as_it_was_said(number: float, unit: Unit) -> None:
    assert parse_quantity(quantity_text(number, unit), unit) == number
