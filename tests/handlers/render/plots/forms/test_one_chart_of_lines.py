"""Every form of lines and areas shows the same, whatever the order and the distances of their days."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.render.plots.look.palette import LIGHT
from tests.handlers.render.plots.forms.one_chart import (
    NEAR,
    Forms,
    Table,
    amounts,
    check_lines,
    dated,
    holds,
    named,
    same,
    serial,
    sorted_table,
    ticks_of,
    usual,
    values,
)

pytestmark = pytest.mark.soak


@pytest.mark.parametrize("type_", ["line", "step", "area"])
@usual
@given(data=st.data())
def test_lines_over_time(type_: str, data: st.DataObject) -> None:
    table = data.draw(dated(amounts if type_ == "area" else values))
    forms, wanted = Forms(table.plot(type_)), sorted_table(table)
    axis = forms.svg.axis(upward=True)
    days = [serial(day) for day in wanted.along]
    for at, numbers in enumerate(wanted.series.values()):
        (line,) = forms.svg.of("line", LIGHT.category(at))
        corners = line.points[::2] if type_ == "step" else line.points
        left, right = corners[0][0], corners[-1][0]
        for (x, y), day, value in zip(corners, days, numbers, strict=True):
            assert abs(x - left - (day - days[0]) / (days[-1] - days[0]) * (right - left)) <= NEAR
            assert value is not None and abs(y - axis.at(value)) <= NEAR
    if type_ == "step":
        assert forms.slide is None and forms.workbook is None  # a picture says it
    else:
        for chart in forms.native(type_):
            assert chart.along.kind == "dateAx" and not chart.stacked
            for one, (name, numbers) in zip(chart.series, wanted.series.items(), strict=True):
                assert one.name == name
                same(one.values, numbers)
                same([float(place) for place in one.along if place is not None], days)
            assert chart.along.low == days[0] and chart.along.high == days[-1]
            holds(chart, *axis.values)
    check_lines(forms, wanted)


@usual
@given(table=dated(amounts, most=4))
def test_stacked_areas(table: Table) -> None:
    forms, wanted = Forms(table.plot("sarea")), sorted_table(table)
    axis = forms.svg.axis(upward=True)
    bases = [0.0] * len(wanted.along)
    for at, numbers in enumerate(wanted.series.values()):
        (area,) = forms.svg.of("area", LIGHT.category(at))
        tops = [base + (value or 0.0) for base, value in zip(bases, numbers, strict=True)]
        for (_, y), top in zip(area.points[: len(tops)], tops, strict=True):
            assert abs(y - axis.at(top)) <= NEAR
        bases = tops
    for chart in forms.native("area"):
        assert chart.stacked and chart.along.kind == "dateAx"
        for one, numbers in zip(chart.series, wanted.series.values(), strict=True):
            same(one.values, numbers)
        holds(chart, *axis.values)
    highest = ticks_of(forms)[0][1]
    assert highest >= max(bases) * 0.7


@pytest.mark.parametrize("type_", ["line", "step"])
@usual
@given(table=named(amounts, amounts))
def test_lines_over_names_on_a_logarithmic_scale(type_: str, table: Table) -> None:
    table.config["axis/scale"] = "y log"
    forms = Forms(table.plot(type_))
    assert not [note for note in forms.picture.notes if "log" in note]
    if type_ == "line":
        for chart in forms.native("line"):
            assert chart.upward.base == 10
            assert chart.upward.low is not None and chart.upward.low > 0
            for one, numbers in zip(chart.series, table.series.values(), strict=True):
                same(one.values, numbers)
                assert list(one.along) == table.along
    if len(ticks_of(forms)) > 1:
        check_lines(forms, table, log=True)
