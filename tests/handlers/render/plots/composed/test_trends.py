"""Trends: the least squares of the standard library, drawn and named, or a note with the reason."""

from __future__ import annotations

import math
import statistics

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from handlers.render.plots.data.series import trend_of
from handlers.render.plots.data.type_columns import plot_frame
from handlers.render.plots.forms.drawing import Look, describe, draw
from handlers.render.plots.forms.terminal.chart import terminal_chart
from handlers.render.plots.shown.native_chart import native_chart
from handlers.render.plots.shown.shown_chart import shown_chart
from handlers.render.plots.types import TYPES
from handlers.words.plot import Plot
from tests.handlers.render.plots.charts.picture_reader import PictureReader
from tests.handlers.render.plots.words_of_types import reading

SPOTS = st.lists(
    st.tuples(st.integers(-500, 500), st.integers(-500, 500)),
    min_size=3,
    max_size=30,
    unique_by=lambda p: p[0],
)
POINTS = "x,y\n1,2\n2,5\n4,3\n7,11\n9,8\n"
DAYS = "day,a,b\n2026-01-01,1,\n2026-02-01,4,9\n2026-03-01,5,\n2026-04-01,9,8\n"


@given(SPOTS)
def test_a_trend_is_that_of_the_standard_library(spots: list[tuple[int, int]]) -> None:
    made = trend_of("a", 0, [(float(x), float(y)) for x, y in spots], (False, False))
    assert made is not None
    xs, ys = [x for x, _ in spots], [y for _, y in spots]
    slope, level = statistics.linear_regression(xs, ys)
    for x, y in (made.start, made.end):
        assert y == pytest.approx(level + slope * x, abs=1e-6)
    assert (made.start[0], made.end[0]) == (min(xs), max(xs))
    if len(set(ys)) > 1:
        assert made.fit == pytest.approx(statistics.correlation(xs, ys) ** 2, abs=1e-6)


@given(st.floats(0.1, 1e6), st.floats(-3, 3), st.integers(3, 9))
def test_powers_have_a_straight_trend_on_two_log_axes(factor: float, power: float, count: int) -> None:
    spots = [(float(x), factor * x**power) for x in range(1, count + 1)]
    made = trend_of("a", 0, spots, (True, True))
    assert made is not None
    assert made.end[1] == pytest.approx(factor * count**power, rel=1e-6)


@given(st.lists(st.floats(-1e150, 1e150), min_size=3, max_size=9))
def test_the_largest_numbers_have_a_trend_of_numbers(values: list[float]) -> None:
    made = trend_of("a", 0, [(float(x), y) for x, y in enumerate(values)], (False, False))
    assert made is not None
    assert all(math.isfinite(y) for _, y in (made.start, made.end)) and 0 <= made.fit <= 1


@settings(max_examples=10, deadline=None)
@given(SPOTS, st.sampled_from(["scatter", "line", "step", "area"]))
def test_a_trend_is_drawn_where_it_is(spots: list[tuple[int, int]], word: str) -> None:
    assume(len({y for _, y in spots}) > 1)
    data = "x,y\n" + "".join(f"{x},{y}\n" for x, y in spots)
    plot = Plot(data, {"type": word, "trend": "linear"})
    shown = shown_chart(plot, plot_frame(plot))
    (trend,) = shown.options.trends
    picture = PictureReader(draw(plot, Look()).svg)
    (line,) = [one for one in picture.root.iter() if one.get("stroke-dasharray") == "7,4"]
    top = float(line.get("transform", "").partition(",")[2].rstrip(")"))
    axis = picture.axis(upward=True)
    assert top == pytest.approx(axis.at(trend.start[1]), abs=0.6)
    assert top + float(line.get("y2", "0")) == pytest.approx(axis.at(trend.end[1]), abs=0.6)
    assert "trend" in picture.words


@pytest.mark.parametrize("word", sorted(TYPES))
def test_every_type_draws_trends_or_logs_that_it_does_not(word: str) -> None:
    plot = Plot(POINTS, {"type": word, "trend": "linear"})
    notes = draw(plot, Look(width=400)).notes
    assert any(note.startswith("config/trend is kept") for note in notes) == (word not in reading("trend"))


def test_every_form_has_the_trend() -> None:
    plot = Plot(POINTS, {"type": "scatter", "trend": "linear"})
    shown = shown_chart(plot, plot_frame(plot))
    assert native_chart(shown, 1000) is None  # the drawing, which has it
    assert "(trend: 2.65 to 9.65 (R² 0.63))" in terminal_chart(plot, colored=False)
    assert describe(plot, plot_frame(plot)).endswith("trend: 2.65 to 9.65 (R² 0.63)")


def test_a_series_without_a_trend_is_noted() -> None:
    picture = draw(Plot(DAYS, {"type": "line", "trend": "linear"}), Look())
    assert 'config/trend: "b" without one: a trend needs 3 values at two places' in picture.notes
    assert picture.svg.count('stroke-dasharray="7,4"') == 1


def test_each_group_and_panel_has_a_trend() -> None:
    groups = "x,y,who\n" + "".join(f"{x},{x * 2 + (x % 3)},{'ab'[x % 2]}\n" for x in range(12))
    svg = draw(Plot(groups, {"type": "scatter", "trend": "linear"}), Look()).svg
    assert svg.count('stroke-dasharray="7,4"') == 2 and "trends" in PictureReader(svg).words
    split = draw(Plot(groups, {"type": "scatter", "trend": "linear", "split/by": "who"}), Look()).svg
    assert split.count('stroke-dasharray="7,4"') == 2
