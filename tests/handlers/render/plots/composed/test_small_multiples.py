"""Panels of a split chart: none is lost, they share their axes, and every form has them."""

from __future__ import annotations

import io
from typing import Any

import pytest
from pptx import Presentation
from pptx.enum.shapes import MSO_SHAPE_TYPE

from handlers.render.plots.data.series import align_rows, by_column, by_series, split_column
from handlers.render.plots.data.table_text import read_frame
from handlers.render.plots.data.type_columns import plot_frame
from handlers.render.plots.forms.drawing import Look, describe, draw
from handlers.render.plots.forms.slide import pptx
from handlers.render.plots.forms.terminal.chart import terminal_chart
from handlers.render.plots.plot_type import one_of
from handlers.render.plots.shown.native_chart import native_chart
from handlers.render.plots.shown.native_panels import MOST_PANELS as NATIVE_PANELS
from handlers.render.plots.shown.shown_chart import MOST_PANELS, shown_chart
from handlers.render.plots.types import TYPES
from handlers.words.plot import Plot
from tests.handlers.render.plots.charts.picture_reader import PictureReader
from tests.handlers.render.plots.words_of_types import reading

LANDS = "month,land,bogs\nJan,Eire,5\nFeb,Eire,90\nMar,Skye,3\nJan,Skye,6\n"
YEARS = "year,Ulm,Bonn\n2000,1,50\n2001,2,60\n"


def plot_of(word: str, data: str, by: str, **config: str) -> Plot:
    return Plot(data, {"type": word, "split/by": by, **config})


def test_a_frame_is_split_and_its_rows_are_aligned() -> None:
    frame = read_frame(LANDS)
    column = split_column(frame, " Land ")
    assert column is not None and split_column(frame, "month") is None
    groups, more = by_column(frame, column, 5)
    assert [(name, part.categories) for name, part in groups] == [
        ("Eire", ("Jan", "Feb")),
        ("Skye", ("Mar", "Jan")),
    ]
    assert not more and by_column(frame, column, 1)[1] == ["Skye"]
    aligned = align_rows([part for _, part in groups])
    assert [part.categories for part in aligned] == [("Jan", "Feb", "Mar")] * 2
    assert [part.series[0].numbers for part in aligned] == [(5, 90, None), (6, None, 3)]
    assert [name for name, _ in by_series(read_frame(YEARS), 5)[0]] == ["Ulm", "Bonn"]
    assert by_series(read_frame(YEARS), 1)[1] == ["Bonn"]


@pytest.mark.parametrize("word", ["gbar", "sbar", "hbar", "line", "scatter"])
def test_every_form_has_the_panels(word: str) -> None:
    data = "x,y,land\n1,2,Eire\n5,9,Eire\n2,3,Skye\n" if word == "scatter" else LANDS
    plot = plot_of(word, data, "land")
    drawn = draw(plot, Look())
    words = PictureReader(drawn.svg).words
    assert {"Eire", "Skye"} <= set(words) and not drawn.notes
    assert describe(plot, plot_frame(plot)).endswith("in 2 panels: Eire, Skye")
    assert native_chart(shown_chart(plot, plot_frame(plot)), 1000) is None  # no single chart has them
    lines = terminal_chart(plot, 40, 30, colored=False).splitlines()
    assert lines.index("Eire") < lines.index("Skye")


@pytest.mark.parametrize("word", ["gbar", "sbar", "hbar", "line", "scatter"])
def test_slides_have_a_chart_for_each_panel(word: str) -> None:
    data = "x,y,land\n1,2,Eire\n5,9,Eire\n2,3,Skye\n" if word == "scatter" else LANDS
    group = slide_group(plot_of(word, data, "land"))
    names, charts = group_parts(group)
    assert names == ["Eire", "Skye"] and len(charts) == 2
    drawn = [[list(one.values) for one in chart.plots[0].series] for chart in charts]
    rows = [[2, 9], [3]] if word == "scatter" else [[5, 90, None], [6, None, 3]]
    assert drawn == [[one] for one in rows]
    ends = {(chart.value_axis.minimum_scale, chart.value_axis.maximum_scale) for chart in charts}
    assert len(ends) == 1
    assert "in 2 panels" in group._element.nvGrpSpPr.cNvPr.get("descr")


def test_lines_of_other_panels_are_pale_on_slides() -> None:
    _, charts = group_parts(slide_group(plot_of("line", YEARS, "series")))
    drawn = [
        [(one.name, str(one.format.line.color.rgb)) for one in chart.plots[0].series] for chart in charts
    ]
    assert [[name for name, _ in one] for one in drawn] == [["Bonn", "Ulm"], ["Ulm", "Bonn"]]
    (faint, own), (pale, other) = [[color for _, color in one] for one in drawn]
    assert faint == pale != own == other


@pytest.mark.parametrize("word", ["step", "bar"])
def test_panels_that_office_programs_would_draw_differently_are_a_picture(word: str) -> None:
    rows = "".join(f"Jan,land {at},{at + 1}\n" for at in range(NATIVE_PANELS + 1))
    plot = plot_of("step", YEARS, "series") if word == "step" else plot_of(word, f"m,land,n\n{rows}", "land")
    assert slide_group(plot).shape_type == MSO_SHAPE_TYPE.PICTURE


def slide_group(plot: Plot) -> Any:
    """The last shape of the slide of a plot."""
    (slide,) = Presentation(io.BytesIO(pptx(plot, plot_frame(plot)))).slides
    return slide.shapes[-1]


def group_parts(group: Any) -> tuple[list[str], list[Any]]:
    """The names and charts of a group."""
    shapes = list(group.shapes)
    return (
        [one.text_frame.text for one in shapes if one.has_text_frame],
        [one.chart for one in shapes if one.has_chart],
    )


def test_panels_share_their_axes_unless_each_has_its_own() -> None:
    def domains(**config: str) -> list[tuple[float, float]]:
        plot = plot_of("line", YEARS, "series", **config)
        shown = shown_chart(plot, plot_frame(plot))
        return [one.options.values.reach for one in shown.panels]  # type: ignore[misc]

    assert domains() == [(1, 60)] * 2
    assert domains(**{"split/axes": "own"}) == [()] * 2


def test_lines_of_other_panels_are_pale() -> None:
    picture = PictureReader(draw(plot_of("line", YEARS, "series"), Look()).svg)
    drawn = [{one.stroke for one in panel.of("line")} for panel in picture.panels if panel.of("line")]
    assert [len(strokes) for strokes in drawn] == [2, 2]


def test_many_panels_are_counted() -> None:
    rows = "".join(f"Jan,land {at},{at + 1}\n" for at in range(MOST_PANELS + 3))
    plot = plot_of("bar", f"month,land,bogs\n{rows}", "land")
    drawn = draw(plot, Look(width=360))
    assert "3 more panels are in the data." in drawn.notes
    assert sum(word.startswith("land ") for word in PictureReader(drawn.svg).words) == MOST_PANELS
    assert "more panels)" in terminal_chart(plot, 60, 20, colored=False)


@pytest.mark.parametrize("word", sorted(set(TYPES) - reading("split")))
def test_a_type_without_panels_says_so(word: str) -> None:
    data = "day,v\n2026-01-01,5\n2026-01-02,6\n"
    notes = draw(plot_of(word, data, "series"), Look(width=400)).notes
    said = f"config/split is kept, but has no effect on {one_of(word)}; it affects "
    assert any(note.startswith(said) for note in notes)


def test_an_unknown_column_is_noted_and_the_chart_is_whole() -> None:
    said = '"town" is no column here: the first are "land" and "bogs"; "series" is one panel for each series'
    drawn = draw(plot_of("bar", LANDS, "town"), Look())
    assert f"config/split/by: {said}" in drawn.notes
    assert not PictureReader(drawn.svg).panels


def test_panels_in_a_low_box_give_up_words_for_their_marks() -> None:
    data = "month,Ulm,Bonn,Kiel\n2020-01,1,50,30\n2022-01,2,60,20\n2024-01,9,20,40\n"
    plot = plot_of("line", data, "series", title="T", subtitle="Invented", caption="By nobody")
    drawn = draw(plot, Look(width=400, height=260))
    (said,) = (note for note in drawn.notes if note.startswith("Left out for lack of space"))
    assert "caption" in said and "subtitle" in said
    assert not draw(plot, Look(width=900, height=500)).notes
