"""The most that is printed of a document: so many pages, by a guess that is made before any is laid out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from handlers.render.documents.markup.blocks import (
    Block,
    Blocks,
    CodeBlock,
    DataTable,
    Document,
    DocumentHeading,
    DocumentSheet,
    ImageBox,
    VisBox,
    spans_in,
    walk_blocks,
)
from handlers.render.documents.markup.spans import words_of

MOST_PAGES = 250
PAGE, LINE = 48, 85
"""Lines of a page, and letters of a line."""


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


def lines_of(block: Block) -> int:
    """Lines that a block takes, roughly."""
    return sum(_own_lines(one) for one in walk_blocks((block,)))


def _own_lines(block: Block) -> int:
    match block:
        case DocumentHeading():
            return 3
        case VisBox() | ImageBox():
            return PAGE // 3
        case CodeBlock():
            return 2 + block.text.count("\n") + len(block.text) // LINE
        case DataTable():
            return 3 + len(block.rows)
        case _:
            return 1 + sum(len(words_of(spans)) for spans in spans_in(block)) // LINE
