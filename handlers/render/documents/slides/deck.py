"""A document as a presentation: a slide for each page, with title, notes and alternative texts."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pypdfium2
from pptx import Presentation
from pptx.dml.color import RGBColor
from pptx.slide import Slide
from pptx.util import Emu, Pt

from handlers.render.documents.markup.blocks import Document, DocumentSheet
from handlers.render.documents.markup.spans import words_of
from handlers.render.documents.pages.document_html import DocumentLook, document_title, shown_sheets
from handlers.render.documents.pages.part_models import DocumentParts
from handlers.render.documents.pdf.paper import PaperDocument, document_pdf
from handlers.render.documents.slides.simple_slide import clean, fill_slide, is_simple
from handlers.render.plots.forms.slide import MADE, steady_zip
from handlers.render.plots.look.palette import LIGHT

SCALE = 2.0
MOST_SLIDES = 250
TITLED, BLANK_TITLE = 5, Pt(40)
LONGEST_NOTE = 8_000


@dataclass(frozen=True, slots=True)
class SlideDeck:
    """A presentation, and notes on which of its slides are pictures."""

    body: bytes
    slides: int
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _PrintedSlide:
    """A printed page: its picture, size in points, words and title; its page of the text if simple."""

    picture: bytes
    size: tuple[float, float]
    words: str
    title: str
    sheet: DocumentSheet | None = None


def document_pptx(document: Document, parts: DocumentParts, look: DocumentLook) -> SlideDeck:
    """The document as a presentation; the same bytes for the same content."""
    printed = document_pdf(document, parts, look)
    pages = list(_pages(document, parts, look, printed))
    deck = Presentation()
    deck.slide_width, deck.slide_height = (Pt(round(points)) for points in pages[0].size)
    for page in pages:
        slide = deck.slides.add_slide(deck.slide_layouts[TITLED])
        if page.sheet is not None:
            _color_ground(slide)
            fill_slide(slide, page.sheet, parts)
        else:
            _show_picture(slide, page, (deck.slide_width, deck.slide_height))
        slide.notes_slide.notes_text_frame.text = clean(page.words)[:LONGEST_NOTE]
    properties = deck.core_properties
    properties.created = properties.modified = MADE
    properties.title = clean(document_title(document, look.name))[:200]
    properties.author = clean(document.about("author"))[:200]
    made = io.BytesIO()
    deck.save(made)
    notes = (*printed.notes, *_choices(pages), *_left_out(printed))
    return SlideDeck(steady_zip(made.getvalue()), len(pages), notes)


def _pages(
    document: Document, parts: DocumentParts, look: DocumentLook, printed: PaperDocument
) -> Iterator[_PrintedSlide]:
    """The printed pages; those of simple slides with their page of the text."""
    sheets = shown_sheets(document, slides=True) if look.kind == "pres" else ()
    starts = printed.starts[-len(sheets) :] if sheets else ()
    alone = {
        start: sheet
        for sheet, start, end in zip(sheets, starts, (*starts[1:], printed.pages), strict=False)
        if end == start + 1 and is_simple(sheet, parts)
    }
    titles = _titles(document, look, printed)
    with pypdfium2.PdfDocument(printed.body) as opened:
        for number in range(min(len(opened), MOST_SLIDES)):
            page = opened[number]
            words = page.get_textpage().get_text_range().replace("\r\n", "\n")
            picture = b"" if number in alone else _png(page)
            yield _PrintedSlide(picture, page.get_size(), words, titles[number], alone.get(number))


def _titles(document: Document, look: DocumentLook, printed: PaperDocument) -> Sequence[str]:
    """A title for each printed page: its first heading, else that of the page before."""
    words = {heading.anchor: words_of(heading.spans) for heading in document.headings()}
    titles = [document_title(document, look.name)]
    for anchors in printed.anchors:
        titles.append(next((words[anchor] for anchor in anchors if words.get(anchor)), titles[-1]))
    return titles[1:]


def _png(page: pypdfium2.PdfPage) -> bytes:
    made = io.BytesIO()
    page.render(scale=SCALE).to_pil().convert("RGB").save(made, "PNG", compress_level=3)
    return made.getvalue()


def _show_picture(slide: Slide, page: _PrintedSlide, size: tuple[int, int]) -> None:
    """The page as a picture that fills the slide, with the title beside the slide, where outlines find it."""
    width, height = (Pt(round(points)) for points in page.size)
    share = min(size[0] / width, size[1] / height)
    wide, high = Emu(round(width * share)), Emu(round(height * share))
    picture = slide.shapes.add_picture(
        io.BytesIO(page.picture), Emu((size[0] - wide) // 2), Emu((size[1] - high) // 2), wide, high
    )
    picture._element.nvPicPr.cNvPr.set("descr", clean(page.words)[:1_000] or clean(page.title))
    title = slide.shapes.title
    title.left, title.top, title.width, title.height = Emu(0), Emu(-BLANK_TITLE), Emu(size[0]), BLANK_TITLE
    title.text_frame.text = clean(page.title)[:300]
    title.text_frame.paragraphs[0].font.size = Pt(14)


def _color_ground(slide: Slide) -> None:
    slide.background.fill.solid()
    slide.background.fill.fore_color.rgb = RGBColor.from_string(LIGHT.paper[1:].upper())


def _choices(pages: Sequence[_PrintedSlide]) -> Iterator[str]:
    for number, page in enumerate(pages, 1):
        yield f"slide {number}: {'shapes that can be edited' if page.sheet else 'a picture of the page'}"


def _left_out(printed: PaperDocument) -> Iterator[str]:
    if printed.pages > MOST_SLIDES:
        left = printed.pages - MOST_SLIDES
        yield f"a presentation has at most {MOST_SLIDES} slides: {left} pages are left out"
