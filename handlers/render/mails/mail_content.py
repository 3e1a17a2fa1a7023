"""The content of a mail: its preview, which inboxes show, and the document that is left."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import NamedTuple

from handlers.render.documents.markup.blocks import (
    Document,
    MarkupNote,
    Paragraph,
    spans_in,
    walk_blocks,
)
from handlers.render.documents.markup.document_text import ENDINGS, LONGEST_TEXT, read_document
from handlers.render.documents.markup.section_scan import scan_sections
from handlers.render.documents.markup.source.scanned_text import FoundTag
from handlers.render.documents.markup.spans import words_of

LONGEST_PREVIEW = 200
SIGNS = re.compile(r"[\x00-\x20\x7f-\xa0\u200b\u200e\u200f\u061c\u2028-\u202e\u2060-\u2069\ufeff]+")

NOT_END = re.compile(r"[^\n]")
MORE_THAN_ONE = "a mail has one preview: this one is left out"


class PreviewSpan(NamedTuple):
    """Offsets of a preview: its first sign, those of its words and of its closing mark, and its end."""

    start: int
    inner: int
    closing: int
    end: int


@dataclass(frozen=True, slots=True)
class MailContent:
    """The preview of a mail, "" without one, and everything else of it."""

    preview: str
    document: Document


def read_mail(text: str) -> MailContent:
    """The mail that a text says. Any text is one; notes say what was not understood."""
    text = ENDINGS.sub("\n", text)
    if len(text) > LONGEST_TEXT:
        return MailContent("", read_document(text))
    previews, notes = _previews(text)
    document = read_document(_blank(text, previews))
    inner = text[previews[0].inner : previews[0].closing] if previews else ""
    return MailContent(preview_line(_plain_words(inner)), replace(document, notes=(*notes, *document.notes)))


def preview_line(words: str) -> str:
    """Words on one line, as long as any inbox shows."""
    line = SIGNS.sub(" ", words).strip()
    if len(line) <= LONGEST_PREVIEW:
        return line
    return f"{line[:LONGEST_PREVIEW].rpartition(' ')[0] or line[:LONGEST_PREVIEW]}…"


def first_words(document: Document) -> str:
    """The words of the first paragraph, for a mail without a preview."""
    found = (block for block in document.blocks() if isinstance(block, Paragraph))
    return preview_line(words_of(next(found, Paragraph(0, ())).spans))


def _plain_words(text: str) -> str:
    """The words of markup, without its marks."""
    blocks = (block for sheet in read_document(text).sheets for block in walk_blocks(sheet.blocks))
    return " ".join(words_of(line) for block in blocks for line in spans_in(block))


def _blank(text: str, places: list[PreviewSpan]) -> str:
    """The text with spaces for previews, so that every line keeps its number."""
    pieces, start = [], 0
    for place in places:
        pieces += [text[start : place.start], NOT_END.sub(" ", text[place.start : place.end])]
        start = place.end
    return "".join((*pieces, text[start:]))


def _previews(text: str) -> tuple[list[PreviewSpan], list[MarkupNote]]:
    """The previews of a text, and what is wrong with them."""
    starts = [0, *(found.end() for found in re.finditer("\n", text))]
    places: list[PreviewSpan] = []
    notes: list[MarkupNote] = []
    opening: FoundTag | None = None
    for tag in scan_sections(text, 1).tags.values():
        if tag.tag.name != "preview" or tag.tag.closing is not (opening is not None):
            continue
        if opening is None:
            opening = None if tag.tag.closed else tag
            continue
        start, closing = (starts[mark.line - 1] + mark.column - 1 for mark in (opening, tag))
        if places:
            notes.append(MarkupNote(opening.line, opening.column, MORE_THAN_ONE))
        places.append(PreviewSpan(start, start + len(opening.source), closing, closing + len(tag.source)))
        opening = None
    return places, notes
