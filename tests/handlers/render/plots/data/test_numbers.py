"""Ticks are round, labels are exact in few digits, and shares add up."""

import itertools
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.render.plots.data.numbers import (
    AS_YEARS,
    PER_CENT,
    WITHOUT_SIZES,
    alone,
    axis_labels,
    format_of,
    quantile,
    round_ticks,
    whole_shares,
    writer_of,
)
from tests.handlers.render.plots.charts.picture_reader import SIZES

FINITE = st.floats(-1e12, 1e12, allow_nan=False).map(lambda value: round(value, 6))


@given(FINITE, FINITE, st.integers(2, 12))
def test_ticks_cover_the_values_in_even_steps(one: float, other: float, most: int) -> None:
    low, high = min(one, other), max(one, other)
    ticks = round_ticks(low, high, most)
    steps = [after - before for before, after in itertools.pairwise(ticks)]
    assert len(ticks) >= 2
    unseen = max(steps) * 1e-8 + max(abs(low), abs(high)) * 1e-9
    assert ticks[0] <= low + unseen
    assert ticks[-1] >= high - unseen
    assert max(steps) - min(steps) <= max(steps) * 1e-6


@given(FINITE, FINITE)
def test_labels_of_different_ticks_differ(one: float, other: float) -> None:
    ticks = round_ticks(min(one, other), max(one, other), 5)
    assert len(set(axis_labels(ticks))) == len(ticks)


@pytest.mark.parametrize(
    "value,text",
    [
        (1250, "1,250"),
        (0.35, "0.35"),
        (1_284_300, "1.28m"),
        (3.2e9, "3.2bn"),
        (-4, "−4"),
        (0, "0"),
        (12.4, "12.4"),
        (12_400, "12.4k"),
        (999_960, "1m"),
        (9_999.7, "10k"),
        (0.0312, "0.0312"),
        (104.5, "105"),
        (9.9996e-5, "0.0001"),
    ],
)
def test_a_number_alone_has_three_digits_that_matter(value: float, text: str) -> None:
    assert alone(value) == text


SIZED = st.floats(1e-3, 9e14).map(lambda value: float(f"{value:.6g}"))
UNITS = st.sampled_from(["", "€", "kr", "kg", "m", "%", PER_CENT, "°C", "ppm", AS_YEARS])
WRITTEN = re.compile(r"€?([\d,]+)(?:\.(\d+))?(k|m|bn|tn|)(?:%|°C|\u00a0kg|\u00a0m|\u00a0kr|\u00a0ppm|)")


def shares_and_degrees(unit: str) -> bool:
    return unit in (PER_CENT, AS_YEARS) or unit in WITHOUT_SIZES


@given(SIZED, UNITS)
def test_the_text_of_a_number_is_near_it_and_short(value: float, unit: str) -> None:
    text = alone(value, unit)
    found = WRITTEN.fullmatch(text)
    assert found, text
    whole, decimals, size = found[1].replace(",", ""), found[2] or "", found[3]
    read = float(f"{whole}.{decimals or 0}") * SIZES.get(size, 1.0) / (100 if unit == PER_CENT else 1)
    assert read == pytest.approx(value, rel=5.1e-3)
    assert size or not decimals.endswith("0") or unit in ("€", "kr")
    if shares_and_degrees(unit):
        assert not size
    elif size or (unit in ("", "€", "kr") and float(whole) >= 10_000):
        assert 1 <= int(whole) < 1000
        assert len(whole) + len(decimals) <= 3


@given(st.lists(SIZED, min_size=1, max_size=6), UNITS)
def test_labels_beside_marks_are_alike_or_lose_nothing(values: list[float], unit: str) -> None:
    written = writer_of(values, unit)
    for value in values:
        found = WRITTEN.fullmatch(written(value))
        assert found
        whole = found[1].replace(",", "")
        read = float(f"{whole}.{found[2] or 0}") * SIZES.get(found[3], 1.0)
        assert read / (100 if unit == PER_CENT else 1) == pytest.approx(value, rel=5.1e-3)
        assert not found[3] or 1 <= int(whole) < 1000


@given(SIZED, st.integers(1, 8), UNITS)
def test_an_axis_has_one_size_and_equal_decimals(high: float, most: int, unit: str) -> None:
    ticks = round_ticks(0.0, high, most)
    labels = axis_labels(ticks, unit)
    found = [WRITTEN.fullmatch(label) for label in labels]
    assert all(found)
    assert len({(one[2] and len(one[2]), one[3]) for one in found[1:] if one}) == 1
    assert labels[0] == "0"
    assert len(set(labels)) == len(labels)
    if shares_and_degrees(unit):
        assert not any(one[3] for one in found if one)


def test_ticks_far_from_zero_keep_what_sets_them_apart() -> None:
    assert axis_labels([1e6, 1_000_025, 1_000_050]) == ["1,000,000", "1,000,025", "1,000,050"]
    assert axis_labels([0, 2500, 5000, 7500, 10_000], "€") == ["0", "2.5k", "5.0k", "7.5k", "€10.0k"]
    assert axis_labels([0, 2e6, 4e6], PER_CENT) == ["0", "200,000,000", "400,000,000%"]
    assert axis_labels([1990, 2000, 2010], AS_YEARS) == ["1990", "2000", "2010"]


@pytest.mark.parametrize(
    "values,texts",
    [
        ([12_400, 9_800, 3_200], "12.4k 9.8k 3.2k"),
        ([1.5e9, 3e8], "1.5bn 300m"),
        ([1.38e9, 4.12e7, 12_400], "1.38bn 41.2m 12.4k"),
        ([12.4, 20, 3.3], "12.4 20.0 3.3"),
        ([12.4, 20, 3.25], "12.4 20 3.25"),
    ],
)
def test_labels_of_a_set_share_a_size_where_none_is_less_than_one_of_it(
    values: list[float], texts: str
) -> None:
    assert " ".join(map(writer_of(values), values)) == texts


def test_a_column_has_one_number_of_decimals() -> None:
    written = format_of([1.5, 20, 3.25], "%")
    assert [written(1.5), written(20), written(None)] == ["1.5%", "20.0%", "–"]


def test_a_currency_is_before_its_number_and_has_cents_or_none() -> None:
    assert format_of([5.0], "€")(-5.0) == "−€5"
    assert [alone(value, "$") for value in (12.5, 12.0, 125.5, 0.031)] == ["$12.50", "$12", "$126", "$0.031"]
    assert list(map(writer_of([3.9, 12.0], "$"), (3.9, 12.0))) == ["$3.90", "$12.00"]


@given(st.lists(st.floats(0.001, 1e6), min_size=1, max_size=30))
def test_shares_add_up_to_a_hundred(values: list[float]) -> None:
    assert sum(whole_shares(values)) == 100


def test_a_quantile_is_between_its_neighbours() -> None:
    assert quantile([1.0, 2.0, 4.0], 0.75) == 3.0
