"""Presentations: shapes where a page is simple, pictures elsewhere; titles and notes everywhere."""

import io

import pytest
from pptx import Presentation

from handlers.render.documents.markup.document_text import read_document
from handlers.render.documents.pages.document_html import DocumentLook
from handlers.render.documents.slides.deck import SlideDeck, document_pptx
from tests.handlers.render.documents.samples import deck, parts_of, report


@pytest.fixture(scope="module")
def slides() -> SlideDeck:
    return document_pptx(deck(), parts_of(deck(), "pres"), DocumentLook("pres"))


def test_each_page_is_a_slide_with_title_notes_and_alternative_text(slides: SlideDeck) -> None:
    opened = Presentation(io.BytesIO(slides.body))
    titles = [slide.shapes.title.text_frame.text for slide in opened.slides]
    assert titles == ["Board", "Three things", "A table", "A chart", "A picture", "Part two"]
    assert all(slide.notes_slide.notes_text_frame.text for slide in opened.slides)
    for slide in opened.slides:
        for shape in slide.shapes:
            if shape.shape_type == 13:
                assert shape._element.nvPicPr.cNvPr.get("descr")
    assert opened.core_properties.title == "Board"


def test_simple_pages_are_shapes_that_can_be_edited(slides: SlideDeck) -> None:
    opened = Presentation(io.BytesIO(slides.body))
    pages = list(opened.slides)
    lines = [p for shape in pages[1].placeholders for p in shape.text_frame.paragraphs]
    assert [line.text for line in lines] == ["Three things", "one", "two with a link", "inner", "2"]
    assert [line.level for line in lines] == [0, 0, 0, 1, 0]
    assert lines[0].runs[0].font.bold and lines[2].runs[1].hyperlink.address == "https://example.org"
    (table,) = [shape.table for shape in pages[2].shapes if shape.has_table]
    assert table.cell(1, 1).text == "2.1\u00a0%"
    (chart,) = [shape.chart for shape in pages[3].shapes if shape.has_chart]
    assert [series.name for series in chart.plots[0].series] == ["2025", "2026"]
    assert [shape.shape_type for shape in pages[4].shapes].count(13) == 1
    assert [note for note in slides.notes if note.startswith("slide")] == [
        f"slide {number}: shapes that can be edited" for number in range(1, 7)
    ]


def test_pages_of_a_report_are_shapes_too() -> None:
    made = document_pptx(report(), parts_of(report(), "doc"), DocumentLook())
    opened = Presentation(io.BytesIO(made.body))
    assert made.slides == len(opened.slides)
    assert [slide.shapes.title.text_frame.text for slide in opened.slides][-1] == "The year"


def test_the_same_content_makes_the_same_slides(slides: SlideDeck) -> None:
    assert document_pptx(deck(), parts_of(deck(), "pres"), DocumentLook("pres")).body == slides.body


def test_lists_keep_their_marks_and_charts_of_pages_their_data() -> None:
    lists = "3. c\n\n   more\n4. d\n- [x] done\n- [ ] open\n"
    document = read_document(f"# A\n{lists}\n{{{{ vis ref: /u/ann/p/sales }}}}\n\n```\na\n    b\n```\n")
    look = DocumentLook(theme_css=":root { --novem-accent: #aa0000 }")
    (slide,) = Presentation(io.BytesIO(document_pptx(document, parts_of(document, "doc"), look).body)).slides
    frames = [shape.text_frame for shape in slide.shapes if shape.has_text_frame]
    lines = {line.text: line._p.pPr for frame in frames for line in frame.paragraphs if line.text}
    marks = {
        text: [(child.tag.rpartition("}")[2], dict(child.attrib)) for child in line]
        for text, line in lines.items()
    }
    assert ("buAutoNum", {"type": "arabicPeriod", "startAt": "3"}) in marks["c"]
    assert ("buNone", {}) in marks["more"]
    assert ("buAutoNum", {"type": "arabicPeriod", "startAt": "4"}) in marks["d"]
    assert ("buChar", {"char": "☑"}) in marks["done"] and ("buChar", {"char": "☐"}) in marks["open"]
    assert "a\v    b" in lines and "Revenue" in lines
    assert [shape.has_chart for shape in slide.shapes].count(True) == 1


def test_words_of_one_line_in_a_table_have_air_for_wider_letters() -> None:
    document = read_document("| a | n |\n|---|--:|\n| Oslo | 10 |\n")
    (slide,) = Presentation(
        io.BytesIO(document_pptx(document, parts_of(document, "doc"), DocumentLook()).body)
    ).slides
    (table,) = [shape.table for shape in slide.shapes if shape.has_table]
    name, figure = table.cell(1, 0), table.cell(1, 1)
    assert (name.margin_right, figure.margin_left) == (0, 0)
    assert figure.margin_right or name.margin_left or figure.margin_top
