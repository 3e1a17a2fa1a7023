"""Axes of few ticks end where their data do, so that marks have the whole of a low or narrow box."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from handlers.render.plots.charts.value_axis import value_axis

VALUES = st.lists(st.floats(-1e9, 1e9).map(lambda value: round(value, 3)), min_size=2, max_size=9)


@example([-0.5, 5.5], True, 1)
@example([99.0, 190.0], False, 2)
@example([0.0, 0.0], True, 2)
@given(VALUES, st.booleans(), st.integers(1, 2))
def test_all_values_and_two_ticks_are_on_the_axis(values: list[float], zero: bool, count: int) -> None:
    axis = value_axis(values, count, zero=zero)
    low, high = axis.domain
    assert low < high and low <= min(values) and high >= max(values)
    assert not zero or low <= 0 <= high
    assert len(axis.ticks) >= 2 and all(low <= tick <= high for tick in axis.ticks)
    spread = max(values) - min(values)
    if zero and spread > 1e-3 * max(map(abs, values)):
        assert high - low == pytest.approx(max(0, *values) - min(0, *values))
