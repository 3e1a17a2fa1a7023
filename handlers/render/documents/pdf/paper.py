"""A document as PDF: laid out by the page layout library in one pass, tagged, with limited pages."""

from __future__ import annotations

import io
import logging
import mimetypes
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from hashlib import sha256
from html import escape
from typing import Any

import pypdfium2

from handlers.render.documents.markup.blocks import Blocks, Document, DocumentBlock, DocumentSheet
from handlers.render.documents.pages.document_html import PAGE_ID, DocumentLook, PageHtml, page_html
from handlers.render.documents.pages.line_lengths import PAGE, lines_of
from handlers.render.documents.pages.media import SCHEME, PaperMedium
from handlers.render.documents.pages.page_context import ID
from handlers.render.documents.pdf.tag_tree import complete_tags
from handlers.render.missing_letters import LIBRARY_NOTE, merge_notes
from handlers.render.plots.look.type_metrics import FOLDER
from handlers.words.document_parts import AssetPart, DocumentParts
from handlers.words.language import language

MOST_NOTES, MOST_LETTERS = 100, 2_000
PART = re.compile(rf"{SCHEME}\w+\.\w+")
VARIANT = "pdf/ua-1"


@dataclass(frozen=True, slots=True)
class Typesetter:
    """The parts of the library that are used, the loaded fonts, and the class that fetches files.

    The fonts stay loaded, because loading them takes longer than a short page.
    """

    html: Any
    css: Any
    fonts: Any
    fetcher: Any


class _Listener(logging.Handler):
    """Collects the library's messages: ignored style rules are notes for their author."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.notes: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Store a message; missing glyphs are counted, so all such messages are stored."""
        said = PART.sub("a picture", record.getMessage())[:300]
        most = MOST_LETTERS if LIBRARY_NOTE.search(said) else MOST_NOTES
        if len(self.notes) < most and said not in self.notes:
            self.notes.append(said)


@contextmanager
def library_notes() -> Iterator[list[str]]:
    """Collect the messages of the library within the block."""
    listener, logger = _Listener(), logging.getLogger("weasyprint")
    logger.addHandler(listener)
    logger.propagate = False
    try:
        yield listener.notes
    finally:
        logger.removeHandler(listener)


@cache
def typesetter() -> Typesetter:
    """Return the library, loaded at its first use, with this program's fonts before the system's."""
    os.environ["FONTCONFIG_FILE"] = str(FOLDER / "fonts.conf")
    # It would read the machine's list of media types, which a confined process may not read.
    mimetypes.knownfiles.clear()
    import weasyprint
    from weasyprint.text.fonts import FontConfiguration
    from weasyprint.urls import URLFetcher, URLFetcherResponse

    class PartFetcher(URLFetcher):  # type: ignore[misc]
        """Returns parts by name; other addresses are refused, and the page is laid out without them."""

        def __init__(self, files: Mapping[str, AssetPart]) -> None:
            super().__init__(allowed_protocols=())
            self.files = files

        def fetch(self, url: str, headers: object = None) -> Any:
            part = self.files.get(url.removeprefix(SCHEME)) if url.startswith(SCHEME) else None
            if part is None:
                raise ValueError(f"not fetched: {url[:80]}")
            return URLFetcherResponse(url, part.body, {"Content-Type": part.media})

    return Typesetter(weasyprint.HTML, weasyprint.CSS, FontConfiguration(), PartFetcher)


def lay_out(page: PageHtml, files: Mapping[str, AssetPart]) -> Any:
    """Lay out an HTML page; the owner's rules are a separate sheet, so that notes have its line numbers."""
    library, layers = typesetter(), list[Any]()
    known: dict[str, Any] = {"base_url": SCHEME, "media_type": "print", "url_fetcher": library.fetcher(files)}
    sheets = [library.css(string=css, layers=layers, **known) for css in (page.look_css, page.custom_css)]
    source = library.html(string=page.with_css(""), **known)
    return source.render(font_config=library.fonts, pdf_variant=VARIANT, stylesheets=sheets)


MOST_PAGES = 250
WIDEST = 4_000
STARTS = re.compile(rf"{PAGE_ID}(?:title|[0-9]+)")


@dataclass(frozen=True, slots=True)
class PaperDocument:
    """A PDF, its number of pages, and notes for the author."""

    body: bytes
    pages: int
    notes: tuple[str, ...]
    anchors: tuple[tuple[str, ...], ...] = ()
    """The anchors of headings on each page."""
    boxes: tuple[Any, ...] = ()
    """The box of each page as laid out by the library, with its children."""
    places: Mapping[str, int] = field(default_factory=dict)
    """The printed page, from 0, on which each page of the text begins, by name (`title`, or its number)."""

    @property
    def starts(self) -> tuple[int, ...]:
        """The printed pages, from 0, on which the pages of the text begin."""
        return tuple(self.places.values())


def document_pdf(
    document: Document, parts: DocumentParts, look: DocumentLook, mode: str = "light"
) -> PaperDocument:
    """Print a document on pages of A4, or on slides if its kind is `pres`.

    At most about 250 pages are printed; a note says so if something is left out.
    """
    document, left_out = cut_document(document, flowing=look.kind == "web")
    medium = PaperMedium(mode)
    printed = print_page(page_html(document, parts, medium, look), medium.files)
    overfull = _overfull(printed) if look.kind == "pres" else ()
    return replace(printed, notes=(*left_out, *printed.notes, *overfull))


def _overfull(printed: PaperDocument) -> Iterator[str]:
    ends = (*printed.starts[1:], printed.pages)
    for start, end in zip(printed.starts, ends, strict=False):
        if end - start > 1:
            yield f"slide {start + 1} has too much content: it takes {end - start} slides"


def print_page(page: PageHtml, files: Mapping[str, AssetPart]) -> PaperDocument:
    """Lay out an HTML page on paper and write it as PDF; only `files` are loaded."""
    with library_notes() as notes:
        laid = lay_out(page, files)
        identity = sha256(page.whole.encode()).digest()[:16]
        body = laid.write_pdf(pdf_variant=VARIANT, pdf_identifier=identity, finisher=complete_tags)
    names = [list(one.anchors) for one in laid.pages]
    return PaperDocument(
        body,
        len(laid.pages),
        merge_notes(dict.fromkeys((*page.notes, *notes))),
        anchors_of(names),
        tuple(one._page_box for one in laid.pages),
        places_of(names),
    )


def anchors_of(pages: Sequence[Sequence[str]]) -> tuple[tuple[str, ...], ...]:
    """Return the anchors of headings among all anchors of each page."""
    return tuple(tuple(name[len(ID) :] for name in names if name.startswith(ID)) for names in pages)


def places_of(pages: Sequence[Sequence[str]]) -> dict[str, int]:
    """Return the pages on which pages of the text begin, by their names among all anchors."""
    starts: dict[str, int] = {}
    for number, names in enumerate(pages):
        for name in names:
            if STARTS.fullmatch(name):
                starts.setdefault(name[len(PAGE_ID) :], number)
    return starts


def page_png(pdf: bytes, number: int = 0, width: int = 1_200) -> bytes:
    """Return a page as PNG in a width; a number that is too high means the last page."""
    with pypdfium2.PdfDocument(pdf) as opened:
        page = opened[min(max(0, number), len(opened) - 1)]
        scale = min(WIDEST, max(60, width)) / page.get_width()
        made = io.BytesIO()
        page.render(scale=scale).to_pil().convert("RGB").save(made, "PNG", compress_level=3)
    return made.getvalue()


def cut_document(document: Document, *, flowing: bool = False) -> tuple[Document, tuple[str, ...]]:
    """Return the document cut at its page limit, and a note about it; a `flowing` one has no pages."""
    left = MOST_PAGES * PAGE
    sheets: list[DocumentSheet] = []
    for sheet in document.sheets:
        blocks = tuple(_fitting(sheet.blocks, left))
        sheets.append(replace(sheet, blocks=blocks))
        left -= max(1 if flowing else PAGE, sum(map(lines_of, blocks)))
        if left <= 0 or len(blocks) < len(sheet.blocks):
            break
    if sum(len(sheet.blocks) for sheet in sheets) == sum(len(sheet.blocks) for sheet in document.sheets):
        return document, ()
    note = f"a document is printed on about {MOST_PAGES} pages at most: the rest is left out"
    return replace(document, sheets=tuple(sheets)), (note,)


def _fitting(blocks: Blocks, lines: int) -> Iterator[DocumentBlock]:
    """Yield the first blocks, up to a number of lines."""
    for block in blocks:
        if lines <= 0:
            return
        yield block
        lines -= lines_of(block)


FILE = "drawing.svg"
SIZE = re.compile(r'<svg[^>]* width="([\d.]+)" height="([\d.]+)"')
RULES = "@page{{margin:0;size:{0}px {1}px}}body{{margin:0}}img{{display:block;width:{0}px;height:{1}px}}"


def drawing_pdf(svg: str, title: str) -> bytes:
    """Return a page with the picture as a figure, with the title as its text; always the same bytes."""
    library, size = typesetter(), SIZE.match(svg)
    rules = RULES.format(*size.groups()) if size else ""
    html = (
        f'<!doctype html><html lang="{language().tag}"><head><title>{escape(title)}</title>'
        f"<style>{rules}</style></head>"
        f'<body><img src="{SCHEME}{FILE}" alt="{escape(title)}"></body></html>'
    )
    fetcher = library.fetcher({FILE: AssetPart(svg.encode(), "image/svg+xml")})
    with library_notes():
        page = library.html(string=html, url_fetcher=fetcher, base_url=SCHEME, media_type="print")
        identity = sha256(svg.encode()).digest()[:16]
        body: bytes = page.write_pdf(font_config=library.fonts, pdf_variant=VARIANT, pdf_identifier=identity)
    return body
