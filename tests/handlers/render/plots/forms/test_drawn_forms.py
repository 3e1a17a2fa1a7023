"""Types without charts in office programs: the same drawing, its words and its tips in every form."""

from __future__ import annotations

import pytest

from handlers.render.plots.data.type_columns import plot_frame
from handlers.render.plots.forms.drawing import Look, describe, draw
from handlers.render.plots.forms.fragment import fragment
from handlers.render.plots.forms.slide import pptx
from handlers.render.plots.forms.workbook import xlsx
from handlers.render.plots.plot_type import type_of
from handlers.render.plots.types import TYPES
from handlers.words.plot import Plot
from tests.handlers.render.plots.forms.one_chart import Forms
from tests.handlers.render.plots.words_of_types import COLUMNED, MAPS, PARTS, RANGES, SPANS

NEW = (*RANGES, *PARTS, *SPANS, *MAPS, *COLUMNED, "strip")
VEGA = ("bar", "hgbar", "line", "donut", "scatter", "hist", "box", "heatmap", "calendar")
TIPLESS = ("sarea", "spark", "value")


def plot(type_: str) -> Plot:
    return Plot(type_of(type_).example, {"type": type_, "title": "Twelve curlews"}, "n")


@pytest.mark.parametrize("type_", NEW)
def test_every_form_shows_the_drawing_or_says_its_values(type_: str) -> None:
    forms = Forms(plot(type_))
    assert forms.slide is None and forms.workbook is None
    printed = forms.printed()
    for word in forms.svg.words:
        assert "".join(word.split()) in printed
    frame = plot_frame(forms.plot)
    assert b"ppt/media/image1.png" in pptx(forms.plot, frame)
    assert b"xl/media/image1.png" in xlsx(forms.plot, frame)
    assert len(forms.lines) > 2
    said = describe(forms.plot, frame)
    assert said.startswith(f"Twelve curlews: {TYPES[type_].noun}") and "; " in said


@pytest.mark.parametrize("type_", [*NEW, *VEGA, *TIPLESS])
def test_marks_show_their_values_to_a_pointer(type_: str) -> None:
    page = fragment(plot(type_), plot_frame(plot(type_)), Look(), "p1")
    drawn = page[: page.index("</svg>")]
    assert (drawn.count("<title>") > 1) == (type_ not in TIPLESS)
    assert "<script" not in page and "<table>" in page


@pytest.mark.parametrize("type_", ["bar", "hbar", "pie", "line", "scatter", "dot", "treemap", "funnel"])
def test_a_tip_is_not_markup(type_: str) -> None:
    name = '<script>alert("&1")</script>'
    quoted = name.replace('"', '""')
    data = f'a,b,c\n"{quoted}",1,2\ny,2,3\n' if type_ == "scatter" else f'a,b\n"{quoted}",1\ny,2\n'
    drawn = draw(Plot(data, {"type": type_}), Look()).svg
    assert "<script" not in drawn
    assert drawn.count("&lt;script&gt;alert(") >= 1 + (type_ != "scatter")
