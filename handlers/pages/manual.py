"""The pages of the manual: its contents, and a page for each chapter with the list of its sections."""

from __future__ import annotations

from collections.abc import Mapping

from handlers.pages.request import PageRequest
from handlers.pages.result import Page
from handlers.reference.manual import Chapter, contents
from handlers.render.markdown import article
from vfs.errors import NotFound

Chapters = Mapping[str, Chapter]


def show_contents(chapters: Chapters, request: PageRequest) -> Page:
    """The page that leads to all chapters."""
    return _page(chapters, None, contents(chapters))


def show_chapter(chapters: Chapters, name: str, request: PageRequest) -> Page:
    """The page of a chapter. Raises NotFound where there is none of that name."""
    if name not in chapters:
        raise NotFound(f"there is no chapter {name}: /docs lists them all")
    return _page(chapters, chapters[name], chapters[name].markdown)


def _page(chapters: Chapters, chapter: Chapter | None, markdown: str) -> Page:
    facts = {"chapters": list(chapters.values()), "chapter": chapter, "article": article(markdown)}
    return Page("manual.html", facts)
