"""Ticks are round, labels say what is meant, and shares add up."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.render.plots.data.numbers import (
    alone,
    axis_labels,
    format_of,
    quantile,
    round_ticks,
    whole_shares,
)

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
    ],
)
def test_a_number_alone_has_three_digits_that_matter(value: float, text: str) -> None:
    assert alone(value) == text


def test_a_column_has_one_number_of_decimals() -> None:
    written = format_of([1.5, 20, 3.25], "%")
    assert [written(1.5), written(20), written(None)] == ["1.50%", "20.00%", "–"]


def test_a_currency_stands_before_its_number() -> None:
    assert format_of([5.0], "€")(-5.0) == "−€5"


@given(st.lists(st.floats(0.001, 1e6), min_size=1, max_size=30))
def test_shares_add_up_to_a_hundred(values: list[float]) -> None:
    assert sum(whole_shares(values)) == 100


def test_a_quantile_lies_between_its_neighbours() -> None:
    assert quantile([1.0, 2.0, 4.0], 0.75) == 3.0
