"""Years, indexes and times of day are distinguished from numbers by names, order and distance."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.render.plots.data.data_check import check_data
from handlers.render.plots.data.frame import ColumnType
from handlers.render.plots.data.numbers import AS_YEARS
from handlers.render.plots.data.type_columns import holds_year_word, plot_frame
from handlers.render.plots.forms.drawing import Look, draw
from handlers.render.plots.forms.terminal.chart import terminal_chart
from handlers.words.plot import Plot

YEARS = st.integers(1500, 2199)


def table(name: str, values: list[object]) -> str:
    return f"{name},v\n" + "".join(f"{value},{at}\n" for at, value in enumerate(values))


def text_of(type_: str, data: str) -> str:
    return terminal_chart(Plot(data, {"type": type_}), 100, 30, colored=False)


@pytest.mark.parametrize(
    "name", ["year discovered", "discovered in year", "Founded (year)", "BornYear", "born", "in use since"]
)
@given(YEARS)
def test_columns_with_a_word_for_years_have_no_groups(name: str, year: int) -> None:
    data = f"element,{name}\nx,Ancient\ny,{year}\nz,{year}\n"
    assert str(year) in text_of("table", data) and f"{year:,}" not in text_of("table", data)


@given(st.integers(1500, 2199))
def test_numbers_counted_by_year_keep_their_groups(number: int) -> None:
    assert not holds_year_word("tonnes per year") and not holds_year_word("sales", times=True)
    assert f"{number:,}" in text_of("table", f"a,tonnes per year\nx,{number}\ny,12345\n")


@given(YEARS.filter(lambda year: year < 2190), st.sampled_from([0.25, 0.5, 0.1]))
def test_decimal_years_have_no_groups_on_any_axis(year: int, step: float) -> None:
    data = table("time", [year + at * step for at in range(8)])
    for type_ in ("line", "scatter"):
        assert plot_frame(Plot(data, {"type": type_})).columns[0].unit == AS_YEARS
        drawn = draw(Plot(data, {"type": type_}), Look(width=900)).svg
        assert f">{str(year)[0]},{str(year)[1:]}" not in drawn


@given(st.lists(YEARS, min_size=3, max_size=8, unique=True))
def test_years_without_a_name_are_a_noted_guess_or_numbers(years: list[int]) -> None:
    check = check_data(table("load", list(years)), "line")
    in_order = years in (sorted(years), sorted(years, reverse=True))
    assert check["columns"][0]["type"] == (ColumnType.DATE if in_order else ColumnType.NUMBER)
    assert check["guess"] == in_order == any("years: a guess" in note for note in check["notes"])
    assert not check_data(table("year", list(years)), "line")["guess"]


@pytest.mark.parametrize("type_", ["scatter", "bubble", "line", "hist", "box"])
@given(st.lists(st.integers(1, 999), min_size=3, max_size=9), st.sampled_from([0, 1]))
def test_a_nameless_first_column_that_counts_the_rows_is_left_out(
    type_: str, values: list[int], start: int
) -> None:
    rows = [f"{start + at},{value},{value * 2}" for at, value in enumerate(values)]
    frame = plot_frame(Plot("\n".join([",a,b", *rows]), {"type": type_}))
    assert [column.name for column in frame.columns] == ["a", "b"]
    assert any("left out" in note for note in frame.notes)
    named = plot_frame(Plot("\n".join(["n,a,b", *rows]), {"type": type_}))
    assert len(named.columns) == 3 and not named.notes


@given(st.lists(st.integers(0, 1439), min_size=3, max_size=6, unique=True))
def test_times_without_a_day_at_equal_steps_are_noted(minutes: list[int]) -> None:
    times = [f"{at // 60:02}:{at % 60:02}" for at in minutes]
    even = len({b - a for a, b in itertools.pairwise(minutes)}) == 1
    noted = any("one step apart" in note for note in check_data(table("clock", list(times)), "line")["notes"])
    assert noted != even and not check_data(table("clock", list(times)), "table")["notes"]


def test_a_gantt_needs_no_numbers() -> None:
    assert not check_data("task,start,end\na,2026-01-01,2026-02-01\n", "gantt")["notes"]
