"""PDF of documents: tagged, with fonts, outline and words for pictures; the same bytes twice."""

import io
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pikepdf
import pypdfium2
import pytest

from handlers.render.documents.markup.document_text import read_document
from handlers.render.documents.pages.document_html import DocumentLook, page_html
from handlers.render.documents.pages.media import PaperMedium
from handlers.render.documents.pdf.paper import PaperDocument, document_pdf, page_png, print_page
from handlers.words.document_parts import AssetPart, DocumentParts
from tests.handlers.render.documents.samples import deck, parts_of, report


@pytest.fixture(scope="module")
def paper() -> PaperDocument:
    return document_pdf(report(), parts_of(report(), "doc"), DocumentLook(origin="ann/report"))


def tags(document: pikepdf.Pdf) -> Iterator[Any]:
    stack = [document.Root.StructTreeRoot.K]
    while stack:
        node = stack.pop()
        if isinstance(node, pikepdf.Array):
            stack += list(node)
        elif isinstance(node, pikepdf.Dictionary) and "/S" in node:
            yield node
            stack += [node.K] if "/K" in node else []


def words(paper: PaperDocument) -> list[str]:
    with pypdfium2.PdfDocument(paper.body) as opened:
        return [page.get_textpage().get_text_range() for page in opened]


def test_a_report_has_tags_title_author_and_outline(paper: PaperDocument) -> None:
    with pikepdf.open(io.BytesIO(paper.body)) as opened:
        kinds = {str(node.S) for node in tags(opened)}
        assert {"/H1", "/H2", "/P", "/Table", "/TH", "/TD", "/Figure", "/Link", "/L"} <= kinds
        assert all(str(node.get("/Alt", "")) for node in tags(opened) if node.S == "/Figure")
        assert str(opened.Root.Lang) == "en" and str(opened.docinfo.Title) == "Freight 2026"
        assert str(opened.docinfo.Author) == "Alice Berg"
        assert opened.Root.MarkInfo.Marked
        with opened.open_outline() as outline:
            assert [(one.title, [inner.title for inner in one.children]) for one in outline.root] == [
                ("Summary", ["The year"])
            ]


def test_every_font_is_embedded_and_bundled(paper: PaperDocument) -> None:
    with pikepdf.open(io.BytesIO(paper.body)) as opened:
        fonts = [
            one
            for one in opened.objects
            if isinstance(one, pikepdf.Dictionary) and one.get("/Type") == "/FontDescriptor"
        ]
        assert fonts and all({"/FontFile2", "/FontFile3"} & set(font.keys()) for font in fonts)
        names = " ".join(str(font.FontName) for font in fonts)
        assert "Source-Serif" in names and "Source-Sans" in names and "Source-Code" in names


def test_pages_have_their_orientation_notes_and_numbers(paper: PaperDocument) -> None:
    with pikepdf.open(io.BytesIO(paper.body)) as opened:
        sizes = [[round(float(side)) for side in page.mediabox[2:]] for page in opened.pages]
    assert len(sizes) == paper.pages
    assert sizes[0] == [595, 842] and sizes[-1] == [842, 595]
    first, *_, last = words(paper)
    assert f"page {paper.pages} and #N/A" in " ".join(first.split()) and "In kroner." in first
    assert "left" in last and "right" in last and "ann/report" in last


def test_charts_are_vectors(paper: PaperDocument) -> None:
    with pikepdf.open(io.BytesIO(paper.body)) as opened:
        pictures = [
            one
            for one in opened.objects
            if isinstance(one, pikepdf.Stream) and one.get("/Subtype") == "/Image"
        ]
        assert len(pictures) == 1
    assert "Bergen" in "".join(words(paper))


def test_the_same_content_makes_the_same_bytes(paper: PaperDocument) -> None:
    again = document_pdf(report(), parts_of(report(), "doc"), DocumentLook(origin="ann/report"))
    assert again.body == paper.body


def test_slides_have_their_size_and_one_page_each() -> None:
    slides = document_pdf(deck(), parts_of(deck(), "pres"), DocumentLook("pres"), "dark")
    assert slides.pages == 6 and not slides.notes
    full = read_document("{{ page /}}\n# a\n" + "word\n\n" * 40 + "{{ page /}}\n# b")
    assert any(
        "slide 1 has too much content" in note
        for note in document_pdf(full, DocumentParts(), DocumentLook("pres")).notes
    )


def test_nothing_is_ever_fetched() -> None:
    drawing = (
        b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><image href="file:///etc/hostname"/>'
        b'<rect width="9" height="9"/></svg>'
    )
    parts = DocumentParts(assets={"a.svg": AssetPart(drawing, "image/svg+xml")})
    text = "![x](http://127.0.0.1:1/a.png) ![y](../../etc/passwd)\n\n{{ img ref: a.svg }}"
    medium = PaperMedium()
    page = page_html(read_document(text), parts, medium, DocumentLook())
    fetching = replace(page, custom_css="p{background:url(file:///etc/passwd)}")
    paper = print_page(fetching, medium.files)
    assert any("not fetched: file:///etc/passwd" in note for note in paper.notes)


def test_a_page_as_a_picture(paper: PaperDocument) -> None:
    assert page_png(paper.body, 99, 300).startswith(b"\x89PNG")
