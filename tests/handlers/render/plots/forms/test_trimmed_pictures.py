"""A trimmed picture is as high as its content, and charts take the whole offered height."""

import re

import pytest

from handlers.render.plots.forms.drawing import Look, draw
from handlers.words.plot import Plot

DATA = "month,curlews\n" + "".join(f"2026-{month:02},{month * 3 % 7 + 1}\n" for month in range(1, 8))


def height(type_: str, *, trim: bool) -> int:
    svg = draw(Plot(DATA, {"type": type_}), Look(width=600, height=400, trim=trim)).svg
    found = re.search(r'height="(\d+)"', svg)
    assert found is not None
    return int(found[1])


@pytest.mark.parametrize("type_", ["table", "value", "spark"])
def test_a_plot_that_needs_less_height_is_lower(type_: str) -> None:
    assert height(type_, trim=True) < 330
    assert height(type_, trim=False) == 400


@pytest.mark.parametrize("type_", ["bar", "line", "area", "step", "sbar"])
def test_a_chart_takes_the_height_that_it_is_offered(type_: str) -> None:
    assert 390 <= height(type_, trim=True) <= 400
