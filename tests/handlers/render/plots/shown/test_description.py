"""Descriptions have the type, the range from least to greatest, and the most important value."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.render.plots.data.numbers import writer_of
from handlers.render.plots.forms.drawing import Look, draw
from handlers.words.plot import Plot
from tests.handlers.render.plots.charts.picture_reader import read_label

MIXED = "m,v\n2024-03,5\n2024-01,6\n2025-02,9\n2024-02,3\n"
SAID = {
    "line": "line chart, 1 series, 4 rows, 2024-01 to 2025-02; values 3 to 9; last 9 at 2025-02",
    "bar": "bar chart, 1 series, 4 rows, 2024-01 to 2025-02; values 3 to 9; greatest 9 at 2025-02",
    "pie": "pie chart, 1 series, 4 rows; values 3 to 9; largest share 2025-02 with 39%",
    "hist": "histogram, 1 series, 4 rows; v 3 to 9, median 5.5",
    "value": "figure, 1 series, 4 rows, 2024-01 to 2025-02; values 3 to 9; last 9 at 2025-02",
    "calendar": "calendar, 1 series, 4 rows, 2024-01 to 2025-02; values 3 to 9; greatest 9 at 2025-02",
}


@pytest.mark.parametrize("type_", sorted(SAID))
def test_a_description_has_ranges_and_the_most_important_value(type_: str) -> None:
    drawn = draw(Plot(MIXED, {"type": type_}), Look())
    assert drawn.description == SAID[type_]
    assert f"<title>{SAID[type_]}</title>" in drawn.svg


def test_descriptions_of_points_have_the_ranges_of_both_axes() -> None:
    data = "n,x,y,s\na,1,20,3\nb,4,5,60\n"
    assert draw(Plot(data, {"type": "bubble"}), Look()).description == (
        "bubble chart, 1 series, 2 rows; x 1 to 4; y 5 to 20; largest b with 60"
    )


NUMBERS = st.floats(1e-3, 1e15).flatmap(lambda value: st.sampled_from([value, -value]))


@given(st.lists(NUMBERS, min_size=1, max_size=8))
def test_a_label_keeps_three_good_digits(values: list[float]) -> None:
    written = writer_of(values)
    for value in values:
        assert abs(read_label(written(value)) - value) <= 0.0051 * abs(value)


@pytest.mark.parametrize("span", ["{:02d}:00", "00:{:02d}", "00:00.{:02d}", "00:00.0000{:02d}"])
def test_a_short_span_shows_its_times(span: str) -> None:
    rows = "".join(f"2024-01-01T08:{span.format(at)},{at}\n" for at in range(12))
    svg = draw(Plot("t,v\n" + rows, {"type": "line"}), Look()).svg
    clocks = {word for word in re.findall(r">([^<]+)<", svg) if re.match(r"\d\d:\d\d", word)}
    assert len(clocks) >= 2
    assert all(clock.startswith("08:") for clock in clocks)
