"""The content of a mail: the preview that inboxes show, the document without it, and both as text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from handlers.render.documents.markup.blocks import (
    Blocks,
    Document,
    MarkupNote,
    Paragraph,
    spans_in,
    walk_blocks,
)
from handlers.render.documents.markup.document_text import read_document
from handlers.render.documents.markup.section_stack import PREVIEW
from handlers.render.documents.markup.spans import words_of
from handlers.render.documents.plain.terminal_text import document_text
from handlers.render.documents.plain.words import clean_words
from handlers.render.mails.mail_medium import MailLook, document_parts
from handlers.words.document_parts import DocumentParts

LONGEST_PREVIEW = 200
SIGNS = re.compile(r"[\x00-\x20\x7f-\xa0\u200b\u200e\u200f\u061c\u2028-\u202e\u2060-\u2069\ufeff]+")
MORE_THAN_ONE = "a mail has one preview: this one is left out"


@dataclass(frozen=True, slots=True)
class MailContent:
    """The preview of a mail ("" without one), and the rest of its content."""

    preview: str
    document: Document


def read_mail(text: str) -> MailContent:
    """Return the mail of a text. Every text is valid; notes report what was not understood."""
    document = read_document(text)
    notes = tuple(_without_preview(document.notes))
    return MailContent(preview_line(_words(document.preview)), replace(document, notes=notes, preview=()))


def preview_line(words: str) -> str:
    """Return words on one line, cut to the longest that any inbox shows."""
    line = SIGNS.sub(" ", words).strip()
    if len(line) <= LONGEST_PREVIEW:
        return line
    return f"{line[:LONGEST_PREVIEW].rpartition(' ')[0] or line[:LONGEST_PREVIEW]}…"


def first_words(document: Document) -> str:
    """Return the words of the first paragraph, for a mail without a preview."""
    found = (block for block in document.blocks() if isinstance(block, Paragraph))
    return preview_line(words_of(next(found, Paragraph(0, ())).spans))


def _words(blocks: Blocks) -> str:
    return " ".join(words_of(line) for block in walk_blocks(blocks) for line in spans_in(block))


def _without_preview(notes: tuple[MarkupNote, ...]) -> Iterator[MarkupNote]:
    """Yield the notes of a document as those of a mail, without one about the first preview."""
    previews = 0
    for note in notes:
        previews += note.reason == PREVIEW
        if note.reason != PREVIEW:
            yield note
        elif previews > 1:
            yield replace(note, reason=MORE_THAN_ONE)


COLUMNS = 72
"""Columns of the text part of a message, as mail programs show it."""


def mail_text(
    content: MailContent,
    parts: DocumentParts,
    look: MailLook,
    columns: int = COLUMNS,
    *,
    colored: bool = False,
    whole_code: bool = False,
) -> str:
    """Return the mail as lines of at most `columns`, with its footer; `whole_code` does not wrap code lines.

    An address is on one line whatever its length, as programs make it a link only then.
    """
    known = document_parts(content.document, parts, look.column, "web")
    text = document_text(
        content.document, known, "web", columns,
        colored=colored, whole_code=whole_code, whole_addresses=True, spoken=False,
    )  # fmt: skip
    lines = [f"Sent by {clean_words(look.sender)}"] if look.sender else []
    lines += [f"Read it in a browser: {look.page}"] if look.page else []
    lines += [f"Unsubscribe: {look.unsubscribe}"] if look.unsubscribe else []
    # Two dashes and a space on a line mark the start of a signature.
    return text + ("\n-- \n" + "\n".join(lines) + "\n" if lines else "")
