"""A document as a presentation: a slide for each page, with title, notes and alternative texts."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from textwrap import shorten

import pypdfium2
from pptx import Presentation

from handlers.render.documents.markup.blocks import (
    Blocks,
    Document,
    DocumentHeading,
    DocumentSheet,
    Listing,
    Paragraph,
    Quotation,
)
from handlers.render.documents.markup.spans import words_of
from handlers.render.documents.pages.document_html import (
    DocumentLook,
    document_title,
    is_quotation,
    is_stage,
    language_of,
    shown_sheets,
)
from handlers.render.documents.pages.page_context import ID
from handlers.render.documents.pages.parts import ChartRoom, part_requests
from handlers.render.documents.pdf.paper import PaperDocument, document_pdf
from handlers.render.documents.plain.terminal_text import TerminalWriter
from handlers.render.documents.slides.laid_page import read_page
from handlers.render.documents.slides.page_pieces import PagePieces, known_pictures
from handlers.render.documents.slides.slide_shapes import PictureShape, SlidePage, TextShape
from handlers.render.documents.slides.slide_text import EMU
from handlers.render.documents.slides.slide_writer import LONGEST_NOTE, SlideWriter
from handlers.render.plots.forms.slide import (
    CONTENT,
    MADE,
    QUOTATION,
    SECTION,
    TITLE,
    DeckTheme,
    blank_deck,
    steady_zip,
)
from handlers.words.document_parts import DocumentParts
from handlers.words.terminal_signs import xml_text

COLUMNS = 72
"""Characters of a line of tables and other columns."""
STEP = "   "


def speaker_notes(
    document: Document, parts: DocumentParts, places: Mapping[str, int], *, slides: bool
) -> dict[int, str]:
    """Return the speaker notes by the number of their slide, from 0.

    `places` are the slides on which the pages of the text begin. An empty page has no slide, and its notes go
    to the slide before it. The notes of a page on several slides go to the first of these.
    """
    spoken: dict[int, list[str]] = {}
    slide = places.get("title", 0)
    for sheet, name in _sheet_names(document, slides=slides):
        slide = places.get(name, slide)
        if words := spoken_words(sheet.speaker_notes, parts):
            spoken.setdefault(slide, []).append(words)
    return {number: "\n".join(words) for number, words in spoken.items()}


def spoken_words(blocks: Blocks, parts: DocumentParts) -> str:
    """Return blocks as lines, one for each paragraph, with their footnotes at the end."""
    writer = TerminalWriter(parts, room=ChartRoom("pres", DocumentSheet(1)), whole_addresses=True)
    lines = list(_lines(blocks, writer))
    for number, (text, inner) in enumerate(writer.footnotes, 1):
        lines += [f"[{number}] {text}", *_lines(inner, writer)]
    return "\n".join(lines).strip()


def _sheet_names(document: Document, *, slides: bool) -> Iterator[tuple[DocumentSheet, str]]:
    """Yield each page of the text with the name of its place; "" if it is not shown."""
    first, *rest = document.sheets
    shown = len(shown_sheets(document, slides=slides))
    followers = [sheet for sheet in rest if sheet.blocks or not slides]
    number = shown - len(followers)
    yield first, "0" if number else ""
    for sheet in rest:
        is_shown = bool(sheet.blocks) or not slides
        yield sheet, str(number) if is_shown else ""
        number += is_shown


def _lines(blocks: Blocks, writer: TerminalWriter) -> Iterator[str]:
    for block in blocks:
        match block:
            case Paragraph() | DocumentHeading():
                yield from writer.line(block.spans).split("\n")
            case Quotation():
                yield from (f"“{line}”" for line in _lines(block.blocks, writer))
            case Listing():
                for number, entry in enumerate(block.entries):
                    mark = "• " if block.start is None else f"{block.start + number}. "
                    for index, line in enumerate(_lines(entry.blocks, writer)):
                        yield f"{STEP if index else mark}{line}"
            case _:
                yield from writer.inner((block,), COLUMNS)


def slide_layouts(document: Document, places: Mapping[str, int], count: int, *, slides: bool) -> list[str]:
    """Return the layout of each slide: title, part of the text, quotation, or other."""
    layouts = [CONTENT] * count
    if not slides:
        return layouts
    named = {"title": TITLE}
    for index, sheet in enumerate(shown_sheets(document, slides=True)):
        named[str(index)] = SECTION if is_stage(sheet) else QUOTATION if is_quotation(sheet) else CONTENT
    for name, slide in places.items():
        if slide < count:
            layouts[slide] = named.get(name, CONTENT)
    return layouts


MOST_SLIDES, FIRST_WORDS = 250, 60
MOST_SHAPES, MOST_PICTURED, LARGEST_SHARE = 400, 3, 0.35
"""Limits of a slide: shapes, texts shown as pictures, and their area; else the whole page is a picture."""


@dataclass(frozen=True, slots=True)
class SlideDeck:
    """A presentation, and notes about slides that are pictures."""

    body: bytes
    slides: int
    notes: tuple[str, ...]


def document_pptx(document: Document, parts: DocumentParts, look: DocumentLook) -> SlideDeck:
    """Return the document as a presentation; always the same bytes for the same content."""
    return printed_pptx(document, parts, look, document_pdf(document, parts, look))


def printed_pptx(
    document: Document, parts: DocumentParts, look: DocumentLook, printed: PaperDocument
) -> SlideDeck:
    """Return the presentation of a document whose pages are laid out."""
    known = known_pictures(parts, part_requests(document, look.kind).visuals)
    pages = [read_page(box, number, known) for number, box in enumerate(printed.boxes[:MOST_SLIDES], 1)]
    title = document_title(document, look.name)
    slides = look.kind == "pres"
    pages = list(_with_titles(pages, document, printed, title, slides=slides))
    layouts = slide_layouts(document, printed.places, len(pages), slides=slides)
    spoken = speaker_notes(document, parts, printed.places, slides=slides)
    theme = _theme(pages, layouts, language_of(document))
    body = _deck(pages, layouts, printed, theme, document, title, spoken)
    notes = (*printed.notes, *_choices(pages), *_left_out(printed), *_cut(spoken))
    return SlideDeck(body, len(pages), notes)


def _deck(
    pages: Sequence[SlidePage],
    layouts: Sequence[str],
    printed: PaperDocument,
    theme: DeckTheme,
    document: Document,
    title: str,
    spoken: Mapping[int, str],
) -> bytes:
    deck = Presentation(io.BytesIO(blank_deck(theme)))
    targets = {
        f"#{ID}{anchor}": number for number, anchors in enumerate(printed.anchors) for anchor in anchors
    }
    with pypdfium2.PdfDocument(printed.body) as opened:
        writer = SlideWriter(deck, theme, PagePieces(opened), targets)
        writer.add_slides(layouts)
        for number, page in enumerate(pages):
            writer.fill(number, page, whole=bool(_reason(page)), spoken=spoken.get(number, ""))
    properties = deck.core_properties
    properties.created = properties.modified = MADE
    properties.title = xml_text(title)[:200]
    properties.author = properties.last_modified_by = xml_text(document.about("author"))[:200]
    properties.subject = xml_text(document.about("subtitle"))[:200]
    properties.keywords = xml_text(document.about("tags"))[:200]
    properties.comments, properties.language = "", theme.language
    made = io.BytesIO()
    deck.save(made)
    return steady_zip(made.getvalue())


def _theme(pages: Sequence[SlidePage], layouts: Sequence[str], language: str) -> DeckTheme:
    """Return the size of the first page, and the most frequent looks."""
    size = (round(pages[0].width * EMU), round(pages[0].height * EMU))
    paper, ink, fonts = Counter((page.color, page.ink, page.fonts) for page in pages).most_common(1)[0][0]
    theme = DeckTheme(*size, paper, ink, *fonts, language)
    for page, layout in zip(pages, layouts, strict=True):
        if layout == SECTION:
            texts = (shape for shape in page.shapes if isinstance(shape, TextShape) and shape.role == "title")
            inks = (run.style.color for text in texts for one in text.paragraphs for run in one.runs)
            return replace(theme, stage=page.color, on_stage=next(inks, page.ink))
    return theme


def _with_titles(
    pages: Sequence[SlidePage], document: Document, printed: PaperDocument, title: str, *, slides: bool
) -> Iterator[SlidePage]:
    """Return the pages with titles: the heading, else the first words, else that of the page before."""
    words = {heading.anchor: words_of(heading.spans) for heading in document.headings()}
    begun = frozenset(printed.places.values()) if slides else frozenset[int]()
    for number, (page, anchors) in enumerate(zip(pages, printed.anchors, strict=False)):
        first = shorten(page.words, FIRST_WORDS, placeholder="…") if number in begun else ""
        title = page.title or next((words[name] for name in anchors if words.get(name)), first or title)
        yield replace(page, title=title)


def _reason(page: SlidePage) -> str:
    """Return why a page is shown as a picture; "" if it has shapes."""
    if len(page.shapes) > MOST_SHAPES:
        return "it has too many parts"
    worded = [shape for shape in page.shapes if isinstance(shape, PictureShape) and shape.worded]
    share = sum(shape.box.width * shape.box.height for shape in worded) / (page.width * page.height)
    if len(worded) > MOST_PICTURED or share > LARGEST_SHARE:
        return "its text has formulas, pictures or transparent words"
    return ""


def _choices(pages: Sequence[SlidePage]) -> Iterator[str]:
    for number, page in enumerate(pages, 1):
        if reason := _reason(page):
            yield f"slide {number}: a picture of the page, as {reason}"
            continue
        worded = sum(isinstance(shape, PictureShape) and shape.worded for shape in page.shapes)
        more = f", and {worded} of its texts as {'pictures' if worded > 1 else 'a picture'}" if worded else ""
        yield f"slide {number}: shapes that can be edited{more}"


def _cut(spoken: Mapping[int, str]) -> Iterator[str]:
    for number, words in spoken.items():
        if len(words) > LONGEST_NOTE:
            yield f"slide {number + 1}: its speaker notes are cut after {LONGEST_NOTE:,} characters"


def _left_out(printed: PaperDocument) -> Iterator[str]:
    if printed.pages > MOST_SLIDES:
        left = printed.pages - MOST_SLIDES
        yield f"a presentation has at most {MOST_SLIDES} slides: {left} pages are left out"
