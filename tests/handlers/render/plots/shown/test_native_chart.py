"""Charts of office programs show the same as the drawing, or are not made."""

from __future__ import annotations

import pytest

from handlers.render.plots.data.table_text import read_frame
from handlers.render.plots.shown.native_chart import NativeChart, NativeForm, native_chart
from handlers.render.plots.shown.shown_chart import shown_chart
from handlers.render.plots.types import TYPES
from handlers.words.plot import Plot
from tests.handlers.render.plots.words_of_types import NATIVE


def native(type_: str, data: str, most: int = 5_000, **config: str) -> NativeChart | None:
    return native_chart(shown_chart(Plot(data, {"type": type_, **config}), read_frame(data)), most)


def made(type_: str, data: str, **config: str) -> NativeChart:
    chart = native(type_, data, **config)
    assert chart is not None
    return chart


def test_parts_below_zero_are_left_out_and_noted() -> None:
    chart = made("pie", "name,v\na,5\nb,-3\nc,2\n")
    assert (chart.names, chart.series[0].values) == (("a", "c"), (5.0, 2.0))
    assert chart.notes == ("1 negative value is left out.",)


def test_small_parts_are_one() -> None:
    chart = made("donut", "name,v\n" + "".join(f"n{at},{at + 1}\n" for at in range(12)))
    assert chart.names[-1] == "6 others"
    assert sum(value or 0 for value in chart.series[0].values) == 78


def test_days_are_sorted_and_keep_their_distances() -> None:
    chart = made("line", "m,v\n2024-03,5\n2024-01,6\n2024-02,3\n2025-02,9\n")
    assert [f"{day:%Y-%m}" for day in chart.dates] == ["2024-01", "2024-02", "2024-03", "2025-02"]
    assert chart.series[0].values == (6.0, 3.0, 5.0, 9.0)
    assert (chart.along.unit, chart.along.code) == ("months", "mmm yyyy")


def test_moments_of_a_day_and_old_years_are_places() -> None:
    chart = made("line", "t,v\n2026-03-02T08:00,1\n2026-03-02T09:00,2\n2026-03-02T12:30,5\n")
    assert chart.form is NativeForm.PATHS
    first, second, third = chart.series[0].places
    assert third - second == pytest.approx(3.5 * (second - first))
    assert chart.along.code == "hh:mm"
    assert made("line", "year,v\n1700,3\n1800,5\n1850,9\n").series[0].places == (1700.0, 1800.0, 1850.0)


def test_scales_and_ends_are_the_chosen_ones() -> None:
    chart = made("line", "x,v\na,2000\nb,400\nc,10\nd,1\n", **{"axis/scale": "y log"})
    assert chart.values.log and chart.values.low == 1.0
    assert chart.values.high is not None and chart.values.high >= 2_000
    wanted = made("gbar", "x,v,w\na,20,3\nb,40,4\n", **{"axis/domains": "y -10 200"})
    assert (wanted.values.low, wanted.values.high) == (-10.0, 200.0)
    years = made("line", "x,v\n2000,20\n2001,40\n", **{"axis/domains": "x 1990 2010", "axis/labels": "x %y"})
    assert (years.along.low, years.along.high, years.along.code) == (32_874.0, 40_179.0, "yy")


def test_both_scales_of_points_may_be_logarithmic() -> None:
    chart = made("scatter", "e,u\n1,20\n10,4000\n100,10\n", **{"axis/scale": "x log\ny log"})
    assert chart.along.log and chart.values.log
    assert (chart.along.title, chart.values.title) == ("e", "u")


def test_bars_with_labels_write_them_as_the_drawing_does() -> None:
    chart = made("hbar", "n,v\na,1200000\nb,2500000\n", subtitle="Sales, €")
    assert chart.labels == '"€"#,##0.0,,"m";"−""€"#,##0.0,,"m";"€"0'
    assert chart.lying and chart.values.high is not None and chart.values.high > 2_500_000


@pytest.mark.parametrize(
    "type_,data",
    [
        ("area", "d,v\n2024-01,1\n2024-02,\n2024-03,4\n"),
        ("sarea", "d,v,w\na,1,2\nb,-2,3\n"),
        ("area", "t,v\n2026-03-02T08:00,1\n2026-03-02T09:00,2\n2026-03-02T12:30,5\n"),
        ("line", "d,v\n1700-03-04,1\n1701-02-01,3\n"),
        ("bar", "a,b\n"),
        ("line", "a,b\n" + "x,1\n" * 5_001),
    ],
)
def test_a_chart_that_office_programs_would_draw_differently_is_not_made(type_: str, data: str) -> None:
    assert native(type_, data) is None


def test_types_without_a_chart_have_none() -> None:
    for type_ in set(TYPES) - NATIVE:
        assert native(type_, "day,a\n2026-01-01,3\n2026-01-03,4\n") is None
