"""The library that sets pages: loaded once, fetching nothing but parts, its complaints heard."""

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
    """The parts of the library that are used, the fonts of this machine, and the class that fetches for it.

    The fonts stay loaded, as loading them takes longer than a short page does.
    """

    html: Any
    css: Any
    fonts: Any
    fetcher: Any


class _Listener(logging.Handler):
    """Keeps what the library says: rules of style that it ignores are notes for their writer."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.notes: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep the sentence; signs without a letter are counted, so all of them are."""
        said = PART.sub("a picture", record.getMessage())[:300]
        most = MOST_LETTERS if LIBRARY_NOTE.search(said) else MOST_NOTES
        if len(self.notes) < most and said not in self.notes:
            self.notes.append(said)


@contextmanager
def library_notes() -> Iterator[list[str]]:
    """The sentences that the library says meanwhile."""
    listener, logger = _Listener(), logging.getLogger("weasyprint")
    logger.addHandler(listener)
    logger.propagate = False
    try:
        yield listener.notes
    finally:
        logger.removeHandler(listener)


@cache
def typesetter() -> Typesetter:
    """Return the library, loaded when it is first used, with this program's typefaces before the system's."""
    os.environ["FONTCONFIG_FILE"] = str(FOLDER / "fonts.conf")
    # The types of files that this machine names would be read, which a confined process may not.
    mimetypes.knownfiles.clear()
    import weasyprint
    from weasyprint.text.fonts import FontConfiguration
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

    return Typesetter(weasyprint.HTML, weasyprint.CSS, FontConfiguration(), PartFetcher)


def lay_out(page: PageHtml, files: Mapping[str, AssetPart]) -> Any:
    """A page of HTML, laid out; the rules of its owner are a sheet by itself, whose lines notes count."""
    library, layers = typesetter(), list[Any]()
    known: dict[str, Any] = {"base_url": SCHEME, "media_type": "print", "url_fetcher": library.fetcher(files)}
    sheets = [library.css(string=css, layers=layers, **known) for css in (page.look_css, page.custom_css)]
    source = library.html(string=page.with_css(""), **known)
    return source.render(font_config=library.fonts, pdf_variant=VARIANT, stylesheets=sheets)


def distinct(notes: Iterable[str]) -> tuple[str, ...]:
    """Sentences, each once, in their order; about signs without a letter there is one, behind the others."""
    return told_once(dict.fromkeys(notes))
