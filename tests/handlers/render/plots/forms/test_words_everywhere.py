"""Title, subtitle and source of a plot are in every form with words, for every type."""

from __future__ import annotations

import io
import re
import zipfile

import pytest
from openpyxl import load_workbook
from pptx import Presentation

from handlers.render.plots.plot_type import type_of
from handlers.render.plots.types import TYPES
from handlers.rendering.forms import render_order
from handlers.rendering.port import RenderOrder

SAID = {"title": "Twelve curlews", "subtitle": "Seen at dawn", "caption": "Source: the station"}


def form(name: str, word: str, data: str = "", **options: str | int | bool) -> bytes:
    texts = {"data": data or type_of(word).example, "config/type": word}
    texts |= {f"config/{key}": text for key, text in SAID.items()}
    return render_order(RenderOrder("plot", name, texts, options)).body


@pytest.mark.parametrize("word", [*TYPES, "table"])
def test_each_form_of_each_type_has_them(word: str) -> None:
    for name in ("svg", "html", "txt", "ansi"):
        shown = form(name, word).decode()
        assert [text for text in SAID.values() if text not in shown] == [], name


@pytest.mark.parametrize(
    "word", ["bar", "hbar", "line", "step", "donut", "scatter", "treemap", "value", "table"]
)
def test_a_slide_has_them_as_texts(word: str) -> None:
    (slide,) = Presentation(io.BytesIO(form("pptx", word))).slides
    shapes = [shape.text_frame.text for shape in slide.shapes if shape.has_text_frame]
    assert shapes[0] == SAID["title"] and SAID["subtitle"] in shapes
    notes = slide.notes_slide.notes_text_frame
    assert notes is not None and all(text in notes.text for text in SAID.values())
    if any(shape.has_chart for shape in slide.shapes):  # a picture has its own
        assert any(text.startswith(SAID["caption"]) for text in shapes)


@pytest.mark.parametrize("word", ["bar", "line", "donut", "scatter", "table"])
def test_a_workbook_has_them_around_its_chart_or_below_its_table(word: str) -> None:
    body = form("xlsx", word)
    sheets = load_workbook(io.BytesIO(body)).worksheets
    cells = [cell.value for sheet in sheets for row in sheet.iter_rows() for cell in row]
    with zipfile.ZipFile(io.BytesIO(body)) as opened:
        drawn = "".join(opened.read(name).decode() for name in opened.namelist() if "charts/chart" in name)
        if "xl/media/image1.png" in opened.namelist():
            return  # a picture has its own
    assert any(str(cell).startswith(SAID["caption"]) for cell in cells)
    assert all(any(text in str(cell) for cell in cells) or text in drawn for text in SAID.values())


LATIN = re.compile(r"[A-Za-z]{2,}")
UNNAMED = {
    "gantt": "task,start,end,team\nPlan,2026-01-05,2026-01-30,A\nBuild,2026-02-02,2026-04-10,\n",
    "treemap": "kind,use,ha\nBuilt,Homes,24\n,Trade,8\nBuilt,Parks,5\n",
}
"""Data with a group without a name."""
PLACES = ("choropleth", "symbolmap")
"""Types that show names of countries, which are English in every language."""


@pytest.mark.parametrize(
    ("word", "data"),
    [*((word, type_of(word).example) for word in (*TYPES, "table") if word not in PLACES), *UNNAMED.items()],
)
def test_no_own_word_is_left_in_english(word: str, data: str) -> None:
    drawing = re.sub(r"<style.*?</style>", "", form("svg", word, data, language="ja").decode(), flags=re.S)
    shown = [*re.findall(r">([^<>]+)<", drawing), *re.findall(r'aria-label="([^"]*)"', drawing)]
    shown.append(form("txt", word, data, language="ja").decode())
    assert {*LATIN.findall(" ".join(shown))} <= {*LATIN.findall(" ".join((data, *SAID.values())))}


SIZES = "name,value\nStaff,4100000 €\nRent,840000 €\nTravel,12400 €\n"


def test_labels_of_a_slide_have_their_sizes() -> None:
    (slide,) = Presentation(io.BytesIO(form("pptx", "hbar", SIZES))).slides
    (chart,) = (shape.chart for shape in slide.shapes if shape.has_chart)
    code = chart.plots[0].data_labels.number_format
    assert code == '[>=1000000]"€"#,##0.00,,"m";[>=100000]"€"#,##0,"k";"€"#,##0.0,"k"'


def test_an_axis_of_a_slide_has_one_size() -> None:
    data = "day,calls\n2026-01-01,2000\n2026-01-02,18000\n2026-01-03,9000\n"
    (slide,) = Presentation(io.BytesIO(form("pptx", "line", data))).slides
    (chart,) = (shape.chart for shape in slide.shapes if shape.has_chart)
    assert chart.value_axis.tick_labels.number_format.startswith('#,##0,"k"')


@pytest.mark.parametrize("word", ["bar", "line", "donut", "scatter", "value", "table"])
def test_the_title_of_the_plot_is_that_of_the_picture_unless_it_has_another(word: str) -> None:
    texts = {"data": type_of(word).example, "config/type": word, "name": "Ringed this year"}
    other = {**texts, "config/title": "Another"}
    for name in ("svg", "html", "txt", "ansi"):
        shown = [render_order(RenderOrder("plot", name, each)).body.decode() for each in (texts, other)]
        assert "Ringed this year" in shown[0] and "Ringed" not in shown[1] and "Another" in shown[1], name
    for name in ("txt", "ansi"):
        order = RenderOrder("plot", name, texts, {"include_header": False})
        assert "Ringed" not in render_order(order).body.decode()
    (slide,) = Presentation(io.BytesIO(render_order(RenderOrder("plot", "pptx", texts)).body)).slides
    assert slide.shapes.title is not None and slide.shapes.title.text_frame.text == "Ringed this year"
    same = {**texts, "name": "", "config/title": "Ringed this year"}
    for name in ("png", "svg"):
        made = [render_order(RenderOrder("plot", name, each)).body for each in (texts, same)]
        assert name != "png" or made[0] == made[1]
