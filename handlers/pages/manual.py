"""The pages of the manual: its contents, and a page for each chapter with the list of its sections."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

from handlers.pages.request import PageRequest
from handlers.pages.result import Page
from handlers.reference.manual import Chapter, at_origin, contents
from handlers.reference.search import LARGEST_QUESTION, search
from handlers.rendering.markdown import article
from vfs.errors import NotFound

Chapters = Mapping[str, Chapter]


def show_contents(chapters: Chapters, request: PageRequest) -> Page:
    """Return the page with links to all chapters, or to the sections found for the query `q`."""
    question = request.query.get("q", "").strip()[:LARGEST_QUESTION]
    if question:
        facts = {"chapters": list(chapters.values()), "chapter": None, "article": None, "question": question}
        return Page("manual_search.html", facts | {"findings": search(chapters.values(), question)})
    return _page(chapters, None, contents(chapters), request.origin)


def show_chapter(chapters: Chapters, name: str, request: PageRequest) -> Page:
    """Return the page of a chapter. Raises NotFound if there is none of that name."""
    if name not in chapters:
        raise NotFound(f"there is no chapter {name}: /docs lists them all")
    return _page(chapters, chapters[name], chapters[name].markdown, request.origin)


def _page(chapters: Chapters, chapter: Chapter | None, markdown: str, origin: str) -> Page:
    # Insert the address after rendering: texts are rendered once, and callers send different addresses.
    shown = article(markdown)
    shown = shown._replace(html=at_origin(shown.html, escape(origin)))
    facts = {"chapters": list(chapters.values()), "chapter": chapter, "article": shown}
    return Page("manual.html", facts)
