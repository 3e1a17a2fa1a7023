"""A corpus of documents on paper: nothing leaves its page, is lost, or is at a wrong place."""

from __future__ import annotations

import io
from dataclasses import dataclass
from functools import cache

import pikepdf
import pypdfium2
import pytest
from PIL import Image

from handlers.render.documents.pages.document_html import page_html
from handlers.render.documents.pages.media import ScreenMedium
from handlers.render.documents.pdf.paper import PaperDocument, document_pdf, page_png
from tests.handlers.render.documents.corpus_parts import (
    NAMES,
    corpus_document,
    corpus_kind,
    corpus_look,
    corpus_parts,
)
from tests.handlers.render.documents.pdf.pdf_audit import pdf_faults

Box = tuple[float, float, float, float]
SIDE, FOOT = 60.0, {"doc": 78.0, "web": 78.0, "pres": 60.0}
"""Points at the sides that stay white, and height of the line at the foot."""


@dataclass(frozen=True, slots=True)
class SetPage:
    """A page: size, words, boxes of words (left, bottom, right, top from the foot), and tops of its heads."""

    width: float
    height: float
    text: str
    boxes: tuple[Box, ...]
    heads: tuple[tuple[str, float, float], ...]
    places: dict[str, float]


@cache
def paper(name: str) -> PaperDocument:
    return document_pdf(corpus_document(name), corpus_parts(name), corpus_look(name))


@cache
def pages(name: str, *sought: str) -> tuple[SetPage, ...]:
    """Return the pages of a document, with the heights of the given words."""
    heads: dict[int, list[tuple[str, float, float]]] = {}
    with pypdfium2.PdfDocument(paper(name).body) as opened:
        for mark in opened.get_toc():
            target = mark.get_dest()
            assert target is not None
            left, top, *_ = target.get_view()[1]
            heads.setdefault(target.get_index(), []).append((mark.get_title(), left, top))
        return tuple(set_page(page, tuple(heads.get(index, ())), sought) for index, page in enumerate(opened))


def set_page(
    page: pypdfium2.PdfPage, heads: tuple[tuple[str, float, float], ...], sought: tuple[str, ...]
) -> SetPage:
    words = page.get_textpage()
    boxes = tuple(words.get_rect(index) for index in range(words.count_rects()))
    found = {text: words.search(text).get_next() for text in sought}
    places = {text: words.get_charbox(place[0])[3] for text, place in found.items() if place}
    text = words.get_text_range().replace("\r\n", " ")
    return SetPage(page.get_width(), page.get_height(), text, boxes, heads, places)


@pytest.mark.parametrize("name", NAMES)
def test_nothing_leaves_a_page_and_no_head_is_alone(name: str) -> None:
    kind = corpus_kind(name)
    for page in pages(name):
        assert all(box[0] > SIDE and box[2] < page.width - SIDE for box in page.boxes), page.text
        for head, left, top in page.heads:
            below = [box for box in page.boxes if FOOT[kind] < box[3] < top - 12 and box[2] > left]
            assert below or kind == "pres", f"{head} stands alone"
    assert not [note for note in paper(name).notes if note.startswith(("Ignored", "Invalid"))]


@pytest.mark.parametrize("name", NAMES)
def test_machines_can_read_it(name: str) -> None:
    assert pdf_faults(paper(name).body) == []


@pytest.mark.parametrize("name", NAMES)
def test_every_font_is_embedded_and_no_letter_is_missing(name: str) -> None:
    with pikepdf.open(io.BytesIO(paper(name).body)) as opened:
        for one in opened.objects:
            if isinstance(one, pikepdf.Dictionary) and one.get("/Type") == "/FontDescriptor":
                assert any(f"/FontFile{kind}" in one for kind in ("", "2", "3"))
    assert all("\ufffe" not in page.text and "\ufffd" not in page.text for page in pages(name))


@pytest.mark.parametrize(
    "name,count",
    [("longtable.doc", 4), ("empty.doc", 1), ("matter.doc", 1), ("deck.pres", 8), ("memo.doc", 1),
     ("pagerefs.doc", 3), ("cover.doc", 3), ("contract.doc", 3)],
)  # fmt: skip
def test_pages_are_as_many_as_needed(name: str, count: int) -> None:
    assert paper(name).pages == count


def test_a_head_is_repeated_on_each_page_of_its_table() -> None:
    assert all("Home port" in page.text and "Tonnage" in page.text for page in pages("longtable.doc"))
    rows = [page.text.count("laid up") for page in pages("longtable.doc")]
    assert sum(rows) == 19 and all(rows)


def test_no_footnote_is_lost_and_each_is_at_the_foot() -> None:
    sought = ("Diplomatarium", "Ibid.", "Forty-one")
    set_pages = pages("footnotes.doc", *sought)
    for words in sought:
        assert sum(page.text.count(words) for page in set_pages) == 8
    assert all(page.places[words] < page.height * 0.42 for page in set_pages for words in sought)


def test_pages_know_one_another() -> None:
    first, _, last = pages("pagerefs.doc")
    assert "See page 3 for the end, page 2 for the middle, and the middle by name" in first.text
    assert "no page #N/A" in first.text and "+9.6%" in first.text and "The end . ." in first.text
    assert last.text.count("The end") == 2, "the running head names the chapter"


def test_a_landscape_page_is_between_others() -> None:
    assert [page.width > page.height for page in pages("landscape.doc")] == [False, True, True, False]
    assert {round(page.width) for page in pages("deck.pres")} == {960}


def test_columns_begin_at_one_height() -> None:
    notices = ("For sale", "Wanted", "Dance")
    first, second = pages("twocolumns.doc", "The ferry between", "What the doctor", *notices)
    assert abs(first.places["The ferry between"] - first.places["What the doctor"]) < 4
    assert len({round(second.places[words]) for words in notices}) == 1


def test_a_part_that_cannot_be_shown_has_the_reason_at_its_place() -> None:
    text = " ".join(page.text for page in pages("faults.doc"))
    for words in (
        "/u/bob/p/secret is not shown it is not shared with the owner",
        "nowhere.png is not shown: there is no such asset",
        "broken.png is not shown: it cannot be read as image/png",
        "Author nobody is not shown",
        "[image: gone; there is no such asset]",
        'there is no section "unknown"',
        "value #N/A, page",
        "this paragraph is not closed",
    ):
        assert words in text, words


@pytest.mark.parametrize(
    "name,words",
    [
        ("lists.doc", "97.  98.  99.  100. "),
        ("paper.doc", "Abstract. We give a bound"),
        ("invoice.doc", "Nordlys Carpentry AS Verkstedveien 4, 7125 Vanvikan VAT NO"),
        ("headings.doc", "A second-level heading with slanted, code,"),
        ("code.doc", "Ternen IV"),
        ("hebrew.doc", 'print("'),
        ("japanese.doc", "目次"),
        ("chinese.web", "항만 교통이 늘었습니다"),
        ("changelog.doc", "2.4.0 · 12 May 2026"),
    ],
)
def test_words_are_set_as_they_are_read(name: str, words: str) -> None:
    assert words in " ".join(page.text for page in pages(name))


def test_a_list_of_contents_has_no_notes() -> None:
    assert " ".join(page.text for page in pages("headings.doc")).count("though they seldom should") == 1


def test_code_is_cut_between_words() -> None:
    text = " ".join(page.text for page in pages("code.doc"))
    assert 'echo "failed' in text and "stays.length;" in text


def test_dark_paper_is_dark() -> None:
    made = document_pdf(
        corpus_document("matter.doc"), corpus_parts("matter.doc"), corpus_look("matter.doc"), "dark"
    )
    with Image.open(io.BytesIO(page_png(made.body))) as picture:
        corner = picture.getpixel((5, 5))
    assert isinstance(corner, tuple) and max(corner) < 40


def test_kinds_differ() -> None:
    slides = page_html(
        corpus_document("deck.pres"), corpus_parts("deck.pres"), ScreenMedium(), corpus_look("deck.pres")
    )
    flowing = page_html(
        corpus_document("blog.web"), corpus_parts("blog.web"), ScreenMedium(), corpus_look("blog.web")
    )
    assert slides.body.count("<section") == 8 and flowing.body.count('class="sheet') == 1
    assert 'class="contents"' in flowing.body and 'role="doc-endnotes"' in flowing.body
