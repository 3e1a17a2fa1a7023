"""Layouts of slides, by what the pages of a text hold."""

from __future__ import annotations

from collections.abc import Mapping

from handlers.render.documents.markup.blocks import Document
from handlers.render.documents.pages.document_html import is_quotation, is_stage, shown_sheets
from handlers.render.plots.forms.deck_layouts import QUOTATION
from handlers.render.plots.forms.deck_theme import CONTENT, SECTION, TITLE


def slide_layouts(document: Document, places: Mapping[str, int], count: int, *, slides: bool) -> list[str]:
    """The layout of each of so many slides: of the title, a part of the text, a quotation, or any other."""
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
