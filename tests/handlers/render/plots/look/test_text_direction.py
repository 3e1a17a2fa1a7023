"""Texts that begin from right to left are ordered so as a whole, in every form of a chart."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.render.plots.look.type_metrics import END, ISOLATE, is_to_the_left, with_directions
from handlers.rendering.forms import render_order
from handlers.rendering.port import RenderOrder

WORDS = st.lists(st.sampled_from(["שלום", "مرحبا", "abc", "12%", "(", ")", "é"]), min_size=1).map(" ".join)


@pytest.mark.parametrize(
    ("text", "left"),
    [("שלום (abc)", True), ("12% مرحبا", True), ("abc שלום", False), ("12%", False), ("", False)],
)
def test_the_first_letter_decides(text: str, left: bool) -> None:
    assert is_to_the_left(text) is left


@given(st.lists(WORDS, max_size=4))
def test_each_line_is_marked_separately_and_nothing_else_changes(lines: list[str]) -> None:
    svg = "".join(f'<text x="{at}">{line}</text>' for at, line in enumerate(lines))
    marked = with_directions(svg)
    assert marked.replace(ISOLATE, "").replace(END, "") == svg
    assert marked.count(ISOLATE) == marked.count(END) == sum(map(is_to_the_left, lines))


def test_names_and_titles_of_charts_are_marked() -> None:
    data = "name,v\nשלום (abc) 12%,2\nabc שלום,1\n"
    texts = {"data": data, "config/type": "hbar", "config/title": "מכירות Q1"}
    svg = render_order(RenderOrder("plot", "svg", texts)).body.decode()
    assert set(re.findall(f"{ISOLATE}([^<]*){END}</text>", svg)) == {"שלום (abc) 12%", "מכירות Q1"}
