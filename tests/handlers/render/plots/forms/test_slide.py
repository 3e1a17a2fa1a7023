"""A slide holds a live chart of the same numbers, coloured alike, or the picture with its description."""

from __future__ import annotations

import io
from typing import Any

import pytest
from pptx import Presentation

from handlers.render.plots.data.table_text import read_frame
from handlers.render.plots.forms.slide import pptx
from handlers.words.plot import Plot
from tests.handlers.render.plots.words_of_types import NATIVE

SALES = "month,north,south\nJan,12,8\nFeb,15,\nFeb,11,14\n"
POINTS = "x,y,z\n1,2,3\n4,5,6\n"


def shapes(type_: str, data: str = SALES, **config: str) -> tuple[Any, Any]:
    """The title and the other shape of the only slide."""
    plot = Plot(data, {"type": type_, **config}, "sales")
    (slide,) = Presentation(io.BytesIO(pptx(plot, read_frame(data)))).slides
    title, *_, shape = slide.shapes
    return title, shape


@pytest.mark.parametrize("type_", sorted(NATIVE - {"scatter", "bubble", "pie", "donut", "area"}))
def test_a_live_chart_has_the_numbers_of_the_plot(type_: str) -> None:
    chart = shapes(type_)[1].chart
    values = [list(series.values) for series in chart.plots[0].series]
    summed, gap = type_.endswith("abar"), 0 if type_ == "sarea" else None
    assert values == ([[12, 26], [8, 14]] if summed else [[12, 15, 11], [8, gap, 14]])
    assert list(chart.plots[0].categories) == (["Jan", "Feb"] if summed else ["Jan", "Feb", "Feb"])


@pytest.mark.parametrize("type_", ["pie", "donut"])
def test_parts_are_those_of_the_drawing(type_: str) -> None:
    (series,) = shapes(type_, "a,b\nx,2\ny,-3\nz,5\n")[1].chart.plots[0].series
    assert list(series.values) == [5, 2]


@pytest.mark.parametrize("type_,data", [("area", SALES), ("sarea", "d,a\nx,1\ny,-2\n"), ("step", SALES)])
def test_a_chart_that_office_programs_would_draw_differently_is_a_picture(type_: str, data: str) -> None:
    assert not shapes(type_, data)[1].has_chart


@pytest.mark.parametrize("type_", ["scatter", "bubble"])
def test_a_live_chart_of_points_has_their_places(type_: str) -> None:
    series = shapes(type_, POINTS)[1].chart.plots[0].series
    wanted = [[2, 5], [3, 6]] if type_ == "scatter" else [[2, 5]]
    assert [list(one.values) for one in series] == wanted


@pytest.mark.parametrize("type_,reverse", [("bar", False), ("ibar", True), ("ihsbar", True)])
def test_a_turned_axis_is_turned(type_: str, reverse: bool) -> None:
    assert shapes(type_)[1].chart.value_axis.reverse_order is reverse


def test_a_live_chart_has_the_colours_of_the_plot() -> None:
    chart = shapes("bar", **{"colors/colors": "#123456 navy"})[1].chart
    colors = [str(series.format.fill.fore_color.rgb) for series in chart.plots[0].series]
    assert colors == ["123456", "000080"]


@pytest.mark.parametrize("type_", ["bar", "scatter", "hist", "table"])
def test_every_slide_describes_its_content(type_: str) -> None:
    data = POINTS if type_ == "scatter" else SALES
    title, shape = shapes(type_, data, title="Sales")
    assert title.text == "Sales"
    drawn = shape._element
    described = drawn.nvGraphicFramePr if shape.has_chart else drawn.nvPicPr
    assert described.cNvPr.get("descr").startswith("Sales: ")


def test_a_deck_has_its_title_and_language() -> None:
    plot = Plot(SALES, {"type": "bar", "title": "Sold"}, "sales")
    about = Presentation(io.BytesIO(pptx(plot, read_frame(SALES)))).core_properties
    assert (about.title, about.language) == ("Sold", "en")
