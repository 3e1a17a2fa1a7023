"""Values at the ends of marks: totals of stacks and last values of lines, in every form."""

from __future__ import annotations

import io
from xml.etree import ElementTree
from zipfile import ZipFile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pptx import Presentation

from handlers.render.plots.data.numbers import writer_of
from handlers.render.plots.data.type_columns import plot_frame
from handlers.render.plots.forms.drawing import Look, draw
from handlers.render.plots.forms.slide import pptx
from handlers.render.plots.forms.terminal.chart import terminal_chart
from handlers.render.plots.forms.workbook import xlsx
from handlers.render.plots.shown.native_chart import native_chart
from handlers.render.plots.shown.shown_chart import shown_chart
from handlers.words.plot import Plot
from tests.handlers.render.plots.charts.picture_reader import PictureReader

NUMBERS = st.lists(st.tuples(st.integers(-90, 900), st.integers(0, 900)), min_size=2, max_size=9)


def plot_of(word: str, rows: list[tuple[int, int]]) -> Plot:
    data = "town,a,b\n" + "".join(f"t{at},{a},{b}\n" for at, (a, b) in enumerate(rows))
    return Plot(data, {"type": word, "value/labels": "ends"})


@settings(max_examples=15, deadline=None)
@given(NUMBERS, st.sampled_from(["sbar", "hsbar"]))
def test_totals_are_above_their_stacks(rows: list[tuple[int, int]], word: str) -> None:
    sums = [a + b for a, b in rows]
    wanted = [writer_of(sums, "")(one) for one in sums]
    plot = plot_of(word, rows)
    words = PictureReader(draw(plot, Look()).svg).words
    assert not set(wanted) - set(words)
    lines = terminal_chart(plot, colored=False).splitlines()
    assert [line.split()[-1] for line in lines[: len(rows)]] == wanted
    assert native_chart(shown_chart(plot, plot_frame(plot)), 999) is None


@settings(max_examples=15, deadline=None)
@given(NUMBERS, st.sampled_from(["line", "step", "area"]), st.sampled_from(["auto", "key"]))
def test_last_values_are_beside_their_lines(rows: list[tuple[int, int]], word: str, key: str) -> None:
    plot = plot_of(word, rows)
    plot.config["legend/type"] = key
    texts = [writer_of(rows[-1], "")(one) for one in rows[-1]]
    wanted = texts if key == "key" else [f"a {texts[0]}", f"b {texts[1]}"]
    assert not set(wanted) - set(PictureReader(draw(plot, Look()).svg).words)
    shown = terminal_chart(plot, colored=False)
    assert f"a {texts[0]}" in shown and f"b {texts[1]}" in shown


def test_totals_without_room_are_noted() -> None:
    rows = "".join(f"{1900 + at},{at},7\n" for at in range(100))
    plot = Plot(f"year,a,b\n{rows}", {"type": "sbar", "value/labels": "ends"})
    assert any("do not fit" in note for note in draw(plot, Look(width=400)).notes)


@pytest.mark.parametrize("word", ["bar", "value", "scatter"])
def test_other_types_log_that_they_have_none(word: str) -> None:
    assert any("config/value" in note for note in draw(plot_of(word, [(1, 2), (3, 4)]), Look()).notes)


def test_office_programs_have_the_last_values() -> None:
    plot = plot_of("line", [(1, 2), (3, 40)])
    (shape,) = [
        one
        for one in Presentation(io.BytesIO(pptx(plot, plot_frame(plot)))).slides[0].shapes
        if one.has_chart
    ]
    labels = [one.points[1].data_label.text_frame.text for one in shape.chart.plots[0].series]
    assert labels == ["3", "40"]
    with ZipFile(io.BytesIO(xlsx(plot, plot_frame(plot)))) as book:
        chart = ElementTree.fromstring(book.read("xl/charts/chart1.xml"))
    labels = [one for one in chart.iter() if one.tag.endswith("}dLbl")]
    assert ["".join(one.itertext()) for one in labels if "".join(one.itertext())] == ["3", "40"]
