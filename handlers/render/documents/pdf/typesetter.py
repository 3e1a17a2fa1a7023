"""The page layout library: loaded once, without network access, with its warnings collected."""

from __future__ import annotations

import logging
import mimetypes
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

from handlers.render.documents.pages.document_html import PageHtml
from handlers.render.documents.pages.media import SCHEME
from handlers.render.missing_letters import LIBRARY_NOTE, told_once
from handlers.render.plots.look.type_metrics import FOLDER
from handlers.words.document_parts import AssetPart

MOST_NOTES, MOST_LETTERS = 100, 2_000
PART = re.compile(rf"{SCHEME}\w+\.\w+")
VARIANT = "pdf/ua-1"


@dataclass(frozen=True, slots=True)
class Typesetter:
    """The parts of the library that are used, the fonts of this machine, and the class that fetches files.

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
    # It would read the machine's list of media types, which a confined process may not.
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


def distinct(notes: Iterable[str]) -> tuple[str, ...]:
    """Return sentences, each once, in order; one sentence about missing glyphs is the last."""
    return told_once(dict.fromkeys(notes))
