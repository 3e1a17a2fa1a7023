"""Parses the text of a document to its model."""

from __future__ import annotations

import re
from dataclasses import replace

from handlers.render.documents.markup.block_tree import BlockTree, nest
from handlers.render.documents.markup.blocks import Document, DocumentSheet, FaultBox, MarkupNote
from handlers.render.documents.markup.effort import MOST_STEPS
from handlers.render.documents.markup.markdown_reader import read_tokens
from handlers.render.documents.markup.numbering import live_links, number_figures
from handlers.render.documents.markup.parameters import MOST_NOTES
from handlers.render.documents.markup.section_grammar import UNWRITABLE
from handlers.render.documents.markup.section_scan import LONGEST_TAGS, MOST_TAGS, scan_sections
from handlers.render.documents.markup.source.front_matter import front_matter
from handlers.render.documents.markup.source.page_edges import edge_notes
from handlers.words.language import language

ENDINGS = re.compile(r"\r\n?|[\u2028\u2029\x0b\x0c\x85]")
LONGEST_TEXT = 2 * 1024 * 1024
MOST_LINES = 100_000
TOO_MANY_LINES = f"a document has at most {MOST_LINES:,} lines: the rest is left out"
MOST_OF_SECTIONS = f"{MOST_TAGS:,} sections, of {LONGEST_TAGS // 1024} KiB together"
TOO_MANY_SECTIONS = f"a document has at most {MOST_OF_SECTIONS}: from this line on they are words"


def read_document(text: str, steps: int = MOST_STEPS) -> Document:
    """Parse a document. Every text is valid; errors are noted and shown as notes.

    The number of steps is limited, to some two seconds: a longer text is cut at a block, or its marks are
    plain text from a line on, and a note says so.
    """
    text = ENDINGS.sub("\n", text)
    notes: list[MarkupNote] = []
    if len(text) > LONGEST_TEXT:
        reason = f"a document has at most {LONGEST_TEXT:,} characters"
        return Document(
            (), (DocumentSheet(1, blocks=(FaultBox(1, 1, reason),)),), (MarkupNote(1, 1, reason),)
        )
    kept = "\n".join(text.split("\n", MOST_LINES)[:MOST_LINES])
    matter = front_matter(UNWRITABLE.sub("\ufffd", kept.removeprefix("\ufeff")), notes)
    scanned = scan_sections(matter.rest, matter.line)
    mathematics = dict(matter.keys).get("latex", "true").lower() not in ("false", "no", "off")
    tokens = read_tokens(scanned, mathematics=mathematics, steps=steps)
    tree = BlockTree(scanned, nest(tokens), notes)
    sheets = tree.sheets()
    if scanned.stopped:
        sheets = _add_fault(sheets, scanned.stopped, TOO_MANY_SECTIONS, notes)
    if len(kept) < len(text):
        sheets = _add_fault(sheets, MOST_LINES, TOO_MANY_LINES, notes)
    keys, lines = dict(matter.keys), kept.split("\n")
    said = keys.get("lang", "") or keys.get("language", "") or language().tag
    sheets = number_figures(sheets, lines, said, notes)
    sheets = live_links(sheets, lines, notes)
    notes += edge_notes(keys, lines)
    found = sorted([*notes, *scanned.notes], key=lambda note: (note.line, note.column))
    return Document(matter.keys, sheets, tuple(found[:MOST_NOTES]), next(iter(tree.previews), ()))


def _add_fault(
    sheets: tuple[DocumentSheet, ...], line: int, reason: str, notes: list[MarkupNote]
) -> tuple[DocumentSheet, ...]:
    """Return the pages with a final box that says what is missing."""
    notes.append(MarkupNote(line, 1, reason))
    last = replace(sheets[-1], blocks=(*sheets[-1].blocks, FaultBox(line, 1, reason)))
    return (*sheets[:-1], last)
