"""Slides of the pages of a text: the layout of each, and the words for the speaker."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from handlers.render.documents.markup.blocks import (
    Block,
    Blocks,
    Document,
    DocumentHeading,
    DocumentSheet,
    Listing,
    Paragraph,
    Quotation,
)
from handlers.render.documents.pages.document_html import is_quotation, is_stage, shown_sheets
from handlers.render.documents.plain.terminal_text import TerminalWriter
from handlers.render.documents.plain.words import PlainWords
from handlers.render.plots.forms.deck_theme import CONTENT, QUOTATION, SECTION, TITLE
from handlers.words.document_parts import DocumentParts

COLUMNS = 72
"""Signs of a line of tables and of what else is set in columns."""
STEP = "   "


def speaker_notes(
    document: Document, parts: DocumentParts, places: Mapping[str, int], *, slides: bool
) -> dict[int, str]:
    """The words for the speaker of each slide, from 0, that has any.

    `places` are the slides on which the pages of the text begin. The notes of a page that is no slide, as it
    shows nothing, go with the slide before it, and those of a page that goes on with its first.
    """
    spoken: dict[int, list[str]] = {}
    slide = places.get("title", 0)
    for sheet, name in _sheet_names(document, slides=slides):
        slide = places.get(name, slide)
        if words := spoken_words(sheet.speaker_notes, parts):
            spoken.setdefault(slide, []).append(words)
    return {number: "\n".join(words) for number, words in spoken.items()}


def spoken_words(blocks: Blocks, parts: DocumentParts) -> str:
    """Blocks as lines, a paragraph on one each, with their footnotes at the end."""
    words = PlainWords(parts)
    lines = list(_lines(blocks, TerminalWriter(words, "pres", DocumentSheet(1), False, True)))
    for number, (text, inner) in enumerate(words.footnotes, 1):
        writer = TerminalWriter(PlainWords(parts), "pres", DocumentSheet(1), False, True)
        lines += [f"[{number}] {text}", *_lines(inner, writer)]
    return "\n".join(lines).strip()


def _sheet_names(document: Document, *, slides: bool) -> Iterator[tuple[DocumentSheet, str]]:
    """Each page of the text with the name of its place; "" of one that is not shown."""
    first, *rest = document.sheets
    shown = len(shown_sheets(document, slides=slides))
    followers = [sheet for sheet in rest if sheet.blocks or not slides]
    number = shown - len(followers)
    yield first, "0" if number else ""
    for sheet in rest:
        is_shown = bool(sheet.blocks) or not slides
        yield sheet, str(number) if is_shown else ""
        number += is_shown


def _lines(blocks: Blocks, writer: TerminalWriter) -> Iterator[str]:
    for block in blocks:
        yield from _block(block, writer)


def _block(block: Block, writer: TerminalWriter) -> Iterator[str]:
    match block:
        case Paragraph() | DocumentHeading():
            yield from writer.words.line(block.spans).split("\n")
        case Quotation():
            yield from (f"“{line}”" for line in _lines(block.blocks, writer))
        case Listing():
            for number, entry in enumerate(block.entries):
                mark = "• " if block.start is None else f"{block.start + number}. "
                for index, line in enumerate(_lines(entry.blocks, writer)):
                    yield f"{STEP if index else mark}{line}"
        case _:
            yield from writer.inner((block,), COLUMNS)


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
