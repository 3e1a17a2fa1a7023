"""The most that is printed of a document: so many pages, by a guess that is made before any is laid out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from handlers.render.documents.markup.blocks import Block, Blocks, Document, DocumentSheet
from handlers.render.documents.pages.line_lengths import PAGE, lines_of

MOST_PAGES = 250


def cut_document(document: Document, *, flowing: bool = False) -> tuple[Document, tuple[str, ...]]:
    """The document without what stands behind its last page, and a note on that; `flowing`: on one flow."""
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


def _fitting(blocks: Blocks, lines: int) -> Iterator[Block]:
    """The first blocks, until so many lines are full."""
    for block in blocks:
        if lines <= 0:
            return
        yield block
        lines -= lines_of(block)
