"""A document as PDF: tagged, with outline, links, notes at the foot and charts as vectors."""

from __future__ import annotations

import logging
import mimetypes
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from hashlib import sha256
from typing import Any

from handlers.render.documents.markup.blocks import Document
from handlers.render.documents.pages.document_html import PAGE_ID, DocumentLook, PageHtml, page_html
from handlers.render.documents.pages.media import SCHEME, PaperMedium
from handlers.render.documents.pages.page_context import ID
from handlers.render.documents.pages.part_models import AssetPart, DocumentParts
from handlers.render.plots.look.type_metrics import FOLDER

MOST_NOTES = 100
PART = re.compile(rf"{SCHEME}\w+\.\w+")
STARTS = re.compile(rf"{PAGE_ID}(?:title|[0-9]+)")


@dataclass(frozen=True, slots=True)
class PaperDocument:
    """A PDF, how many pages it has, and notes for the writer."""

    body: bytes
    pages: int
    notes: tuple[str, ...]
    starts: tuple[int, ...] = ()
    """The page, from 0, on which each page of the text begins."""
    anchors: tuple[tuple[str, ...], ...] = ()
    """The anchors of headings that stand on each page."""
    boxes: tuple[Any, ...] = ()
    """The box of each page as the library laid it out, with those in it."""


def document_pdf(
    document: Document, parts: DocumentParts, look: DocumentLook, mode: str = "light"
) -> PaperDocument:
    """The document on pages of A4, or on slides if its kind is `pres`."""
    medium = PaperMedium(mode)
    printed = print_page(page_html(document, parts, medium, look), medium.files)
    if look.kind == "pres":
        return replace(printed, notes=(*printed.notes, *_overfull(printed)))
    return printed


def _overfull(printed: PaperDocument) -> Iterator[str]:
    """Notes on slides that hold more than fits on one."""
    ends = (*printed.starts[1:], printed.pages)
    for start, end in zip(printed.starts, ends, strict=False):
        if end - start > 1:
            yield f"slide {start + 1} holds more than fits: it goes on on {end - start - 1} more"


def print_page(page: PageHtml, files: Mapping[str, AssetPart]) -> PaperDocument:
    """A page of HTML laid out on paper; nothing but `files` is ever fetched."""
    library = _library()
    fetcher = library.fetcher(files)
    with _Listening() as said:
        source = library.html(string=page.whole, url_fetcher=fetcher, base_url=SCHEME, media_type="print")
        laid = source.render(pdf_variant="pdf/ua-1")
        identity = sha256(page.whole.encode()).digest()[:16]
        body = laid.write_pdf(pdf_variant="pdf/ua-1", pdf_identifier=identity)
    notes = dict.fromkeys((*page.notes, *said.notes[:MOST_NOTES]))
    boxes = tuple(page._page_box for page in laid.pages)
    return PaperDocument(
        body, len(laid.pages), tuple(notes), _starts(laid.pages), _anchors(laid.pages), boxes
    )


def _anchors(pages: Sequence[Any]) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(name[len(ID) :] for name in page.anchors if name.startswith(ID)) for page in pages)


def _starts(pages: Sequence[Any]) -> tuple[int, ...]:
    starts: dict[str, int] = {}
    for number, page in enumerate(pages):
        for name in page.anchors:
            if STARTS.fullmatch(name):
                starts.setdefault(name, number)
    return tuple(starts.values())


class _Listening(logging.Handler):
    """Listens to the library while it works: ignored rules of style are notes for their writer."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.notes: list[str] = []
        self.logger = logging.getLogger("weasyprint")

    def emit(self, record: logging.LogRecord) -> None:
        """Keep the sentence."""
        if len(self.notes) < MOST_NOTES:
            self.notes.append(PART.sub("a picture", record.getMessage())[:300])

    def __enter__(self) -> _Listening:
        self.logger.addHandler(self)
        self.logger.propagate = False
        return self

    def __exit__(self, *error: object) -> None:
        self.logger.removeHandler(self)


@dataclass(frozen=True, slots=True)
class _Library:
    html: Any
    fetcher: Any


@cache
def _library() -> _Library:
    """The library, loaded when it is first used, with this program's typefaces before the system's."""
    os.environ["FONTCONFIG_FILE"] = str(FOLDER / "fonts.conf")
    # The types of files that this machine names would be read, which a confined process may not.
    mimetypes.knownfiles.clear()
    import weasyprint
    from weasyprint.urls import URLFetcher, URLFetcherResponse

    class PartFetcher(URLFetcher):  # type: ignore[misc]
        """Answers the names of parts; every other address is refused, and the page goes on without it."""

        def __init__(self, files: Mapping[str, AssetPart]) -> None:
            super().__init__(allowed_protocols=())
            self.files = files

        def fetch(self, url: str, headers: object = None) -> Any:
            part = self.files.get(url.removeprefix(SCHEME)) if url.startswith(SCHEME) else None
            if part is None:
                raise ValueError(f"not fetched: {url[:80]}")
            return URLFetcherResponse(url, part.body, {"Content-Type": part.media})

    return _Library(weasyprint.HTML, PartFetcher)
