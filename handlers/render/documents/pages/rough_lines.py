"""Lines that blocks take on paper, by a guess that is made before any is laid out."""

from __future__ import annotations

from handlers.render.documents.markup.blocks import (
    Block,
    CodeBlock,
    DataTable,
    DocumentHeading,
    ImageBox,
    VisBox,
    spans_in,
    walk_blocks,
)
from handlers.render.documents.markup.spans import words_of

PAGE, LINE = 48, 85
"""Lines of a page, and letters of a line."""


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
