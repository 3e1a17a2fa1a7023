"""Titles of the plots of a row are on one line, with any room below them."""

from __future__ import annotations

import re

import pytest

from handlers.render.plots.forms.drawing import Look, draw
from handlers.words.plot import Plot

DATA = "question,2024,2025\nWhy is the export empty,412,201\nCan two people edit,377,300\nIs it here,98,64\n"
PLACE = re.compile(r'<g transform="translate\([\d.]+,([\d.]+)\)">')


@pytest.mark.parametrize("height", range(70, 260, 10))
def test_titles_of_a_row_are_on_one_line(height: int) -> None:
    look = Look(width=320, height=height, type_width=480, head=40, centred=True)
    tops = set()
    for word in ("bar", "sbar", "hbar", "donut", "line", "area"):
        made = draw(Plot(DATA, {"type": word, "title": "What people ask"}), look).svg
        if ">What people ask<" in made.partition("</title>")[2]:
            place = PLACE.search(made)
            assert place is not None
            tops.add(float(place[1]))
    assert len(tops) == 1 or (not tops and height < 100)
