"""Every form of lines and areas shows the same, with any order and distances of their days."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.render.plots.forms.drawing import Look, draw
from handlers.render.plots.look.palette import LIGHT
from handlers.words.plot import Plot
from tests.handlers.render.plots.charts.picture_reader import PictureReader
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


@pytest.mark.parametrize("type_", ["sarea", "sbar"])
@usual
@given(
    rows=st.lists(st.lists(st.integers(0, 900), min_size=16, max_size=16), min_size=2, max_size=5),
    count=st.integers(9, 16),
    marked=st.integers(0, 15),
)
def test_the_smallest_parts_of_a_stack_are_one(
    type_: str, rows: list[list[int]], count: int, marked: int
) -> None:
    names = [f"s{at}" for at in range(count)]
    table = Table([f"{2001 + at}-05-01" for at in range(len(rows))],
                  {name: [float(row[at]) for row in rows] for at, name in enumerate(names)})  # fmt: skip
    if marked < count:
        table.config["colors/colors"] = f"s{marked} #b0261c"
    forms = Forms(table.plot(type_))
    by_size = sorted(names, key=lambda name: (name != f"s{marked}", -sum(table.series[name])))  # type: ignore[arg-type]
    small = by_size[8:] if count > 9 else []
    joined = [f"Other ({len(small)})"] if small else []
    wanted = [sum(row[:count]) for row in rows]
    for chart in forms.native("area" if type_ == "sarea" else "bar"):
        shown = [one.name for one in chart.series]
        assert shown == [*(name for name in names if name not in small), *joined]
        assert [sum(one.values[at] or 0.0 for one in chart.series) for at in range(len(rows))] == wanted
    assert not joined or joined[0] in " ".join(forms.svg.words)
    notes = [note for note in forms.picture.notes if "is the sum of" in note]
    assert len(notes) == len(joined)
    assert all(f'"{name}"' in notes[0] for name in small)


@usual
@given(st.integers(13, 16), st.sampled_from([900, 1200]))
def test_up_to_sixteen_lines_have_their_names_at_their_ends(count: int, width: int) -> None:
    days = "".join(
        f"{1850 + at},{','.join(str(at + 10 * one) for one in range(count))}\n" for at in range(30)
    )
    head = "year," + ",".join(f"line {one}" for one in range(count)) + "\n"
    read = PictureReader(draw(Plot(head + days, {"type": "line"}), Look(width=width)).svg)
    assert {f"line {one}" for one in range(count)} <= set(read.words)
    assert not any("others" in word for word in read.words)


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
