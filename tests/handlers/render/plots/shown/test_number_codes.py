"""Codes of office programs write numbers and days as the drawings do."""

from __future__ import annotations

import re
from datetime import datetime
from decimal import ROUND_HALF_UP, Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.render.plots.data.numbers import alone, format_of, writer_of
from handlers.render.plots.tables.spreadsheet_codes import GENERAL, code_of, code_of_all, date_code


@pytest.mark.parametrize(
    "value,text,code",
    [
        (1250.0, "1,250", '#,##0;"−"#,##0'),
        (0.35, "0.35", '#,##0.00;"−"#,##0.00'),
        (-4.5, "−4.5", '#,##0.0;"−"#,##0.0'),
        (1.28e6, "1.28m", '#,##0.00,,"m";"−"#,##0.00,,"m";0'),
        (2e9, "$2bn", '"$"#,##0,,,"bn";"−""$"#,##0,,,"bn";"$"0'),
        (0.12, "12%", '#,##0%;"−"#,##0%'),
        (12.0, "12%", '#,##0"%";"−"#,##0"%"'),
        (12.0, "12 kg", '#,##0" kg";"−"#,##0" kg"'),
        (5.0, "5m", '#,##0"m";"−"#,##0"m"'),
        (4000.0, "4000", '0;"−"0'),
        (3.0, "+3", '+#,##0;"−"#,##0;#,##0'),
        (2e-9, "2e−9", '0E+00;"−"0E+00'),
        (0.0, "0", GENERAL),
        (1.0, "one", GENERAL),
    ],
)
def test_a_code_writes_as_the_text_is_written(value: float, text: str, code: str) -> None:
    assert code_of(value, text) == code


def test_values_that_are_written_alike_have_one_code() -> None:
    write = format_of([1.5, 20.25], "€")
    assert code_of_all([(1.5, write(1.5)), (20.25, write(20.25))]) == '"€"#,##0.00;"−""€"#,##0.00'
    assert code_of_all([(None, "–"), (0.0, "0")]) == GENERAL


def test_a_code_has_a_section_for_each_size() -> None:
    code = code_of_all([(value, alone(value)) for value in (1.38e9, 1e9, 4.12e7, 12.5)])
    assert code == '[>=1000000000]#,##0.0#,,,"bn";[>=1000000]#,##0.0,,"m";#,##0.0'
    code = code_of_all([(value, alone(value, "€")) for value in (1.38e9, 4.12e7, 12_400)], "€")
    assert code.rpartition(";")[2] == '"€"#,##0.0,"k"'
    code = code_of_all([(value, alone(value, "€")) for value in (4.1e6, 840_000, 12_400)], "€")
    assert code == '[>=1000000]"€"#,##0.0,,"m";[>=100000]"€"#,##0,"k";"€"#,##0.0,"k"'
    code = code_of_all([(value, alone(value)) for value in (-1.5e6, -12_400, -3.2)])
    assert code == '[<=-1000000]#,##0.0,,"m";[<=-10000]#,##0.0,"k";#,##0.0'


SECTION = re.compile(
    r'(?:\[(?P<sign>>=|<=)(?P<bound>[^\]]+)\])?(?P<before>"[^"]*")?#,##0(?P<places>\.0+)?(?P<size>,*)(?P<after>.*)'
)


def shown_by(code: str, value: float) -> str:
    """Return a number as office programs write it by a code of sections; the last has no condition."""
    found = [SECTION.fullmatch(section) for section in code.split(";")]
    for part in found:
        assert part is not None, code
        bound = float(part["bound"] or "nan")
        if not part["sign"] or (value >= bound if part["sign"] == ">=" else value <= bound):
            places = Decimal(1).scaleb(-len(part["places"] or "."[:0]) + bool(part["places"]))
            size = Decimal(repr(abs(value) / 1000 ** len(part["size"]))).quantize(places, ROUND_HALF_UP)
            lead = "−" if value < 0 else ""
            return f"{lead}{part['before'] or ''}{size:,f}{part['after']}".replace('"', "")
    raise AssertionError(code)


LAST_ZEROS = re.compile(r"\.0+(?!\d)|(?<=\.\d)0+(?!\d)")
SIZED = st.integers(1, 999).flatmap(
    lambda digits: st.integers(-2, 12).map(lambda power: digits * 10.0**power)
)


@given(st.lists(SIZED, min_size=2, max_size=4), st.sampled_from(["", "€", "kg"]), st.booleans())
def test_a_code_of_a_few_sizes_writes_each_number_as_the_drawing_does(
    values: list[float], unit: str, below: bool
) -> None:
    values = [-value for value in values] if below else values
    written = writer_of(values, unit)
    code = code_of_all([(value, written(value)) for value in values], unit)
    if "General" in code or ".0#" in code or (code.count(";") == 1 and "[" not in code):
        return  # more sizes than a code has sections, or one code with a section for numbers below zero
    for value in values:
        if code.count("[") == 2 and f"{abs(value):,.0f}" in shown_by(code, value):
            continue  # whole, where a fourth size has no part of the code
        # Where one size has numbers of two lengths, its code adds the last zero to the shorter ones.
        assert LAST_ZEROS.sub("", shown_by(code, value)) == LAST_ZEROS.sub("", written(value)), code


@pytest.mark.parametrize(
    "days,clock,code",
    [
        (["2024-01-01", "2025-01-01"], False, "yyyy"),
        (["2024-01-01", "2024-02-01"], False, "mmm yyyy"),
        (["2024-01-01", "2024-02-11"], False, "d mmm yyyy"),
        (["2024-01-01T08:00", "2024-01-01T09:00"], True, "hh:mm"),
        (["2024-01-01T08:00", "2024-01-03T09:00"], True, "d mmm hh:mm"),
    ],
)
def test_a_code_of_days_has_the_parts_that_distinguish_them(days: list[str], clock: bool, code: str) -> None:
    assert date_code(map(datetime.fromisoformat, days), clock=clock) == code


def test_numbers_of_four_sizes_have_groups_where_no_section_is_left() -> None:
    values = [1.411e9, 3.22e8, 5.4e6, 11_400.0, 1620.0]
    code = code_of_all(((value, alone(value, "€")) for value in values), "€")
    assert code == '[>=1000000000]"€"#,##0.00,,,"bn";[>=1000000]"€"#,##0.0,,"m";"€"#,##0'
    assert code_of_all(((value, alone(value)) for value in [*values, 2.5]), "€").endswith(';"€"General')
