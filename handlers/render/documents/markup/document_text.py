"""The text of a document read into its model: front matter, sections and Markdown; nothing fails it."""

from __future__ import annotations

import re
from typing import NamedTuple

from handlers.render.documents.markup.block_tree import BlockTree, nest
from handlers.render.documents.markup.blocks import Document, DocumentSheet, FaultBox, MarkupNote
from handlers.render.documents.markup.markdown_reader import read_tokens
from handlers.render.documents.markup.section_grammar import BadTag, Value, read_matter
from handlers.render.documents.markup.section_scan import scan_sections

MATTER = re.compile(r"---[ \t]*\n(.*?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
ENDINGS = re.compile(r"\r\n?|[\u2028\u2029\x0b\x0c\x85]")
UNWRITABLE = re.compile(r"[\x00-\x08\x0e-\x1f\x7f\ufeff\ud800-\udfff\ufffe\uffff]")
MOST_NOTES = 500
LONGEST_TEXT = 2 * 1024 * 1024
LONGEST_VALUE = 2_000
MOST_KEYS = 100


def read_document(text: str) -> Document:
    """The document that a text says. Any text is one; what is not understood is noted and shown as a note."""
    text = ENDINGS.sub("\n", text)
    notes: list[MarkupNote] = []
    if len(text) > LONGEST_TEXT:
        reason = f"a document has at most {LONGEST_TEXT:,} characters"
        return Document(
            (), (DocumentSheet(1, blocks=(FaultBox(1, 1, reason),)),), (MarkupNote(1, 1, reason),)
        )
    matter = _front_matter(UNWRITABLE.sub("\ufffd", text.removeprefix("\ufeff")), notes)
    scanned = scan_sections(matter.rest, matter.line)
    mathematics = dict(matter.keys).get("latex", "true").lower() not in ("false", "no", "off")
    tokens = read_tokens(scanned.text, mathematics=mathematics)
    sheets = BlockTree(scanned, nest(tokens), notes).sheets()
    found = sorted([*notes, *scanned.notes], key=lambda note: (note.line, note.column))
    return Document(matter.keys, sheets, tuple(found[:MOST_NOTES]))


class _FrontMatter(NamedTuple):
    keys: tuple[tuple[str, str], ...]
    rest: str
    line: int


def _front_matter(text: str, notes: list[MarkupNote]) -> _FrontMatter:
    """The keys at the head of a text, what follows them, and its first line."""
    found = MATTER.match(text)
    if found is None:
        return _FrontMatter((), text, 1)
    lines = found[1]
    try:
        pairs = read_matter(lines)
    except BadTag as bad:
        pairs = _lines_that_read(lines, notes)
        if not notes:
            line = 2 + lines.count("\n", 0, bad.offset)
            notes.append(MarkupNote(line, 1, f"front matter: {bad}"))
    keys = {key[:80]: value.text[:LONGEST_VALUE] for key, value in pairs[:MOST_KEYS]}
    return _FrontMatter(tuple(keys.items()), text[found.end() :], 1 + found[0].count("\n"))


def _lines_that_read(lines: str, notes: list[MarkupNote]) -> tuple[tuple[str, Value], ...]:
    """The keys of a front matter of which some lines are none."""
    pairs: list[tuple[str, Value]] = []
    for number, line in enumerate(lines.split("\n")[:MOST_KEYS], 2):
        try:
            pairs += read_matter(line)
        except BadTag:
            notes.append(
                MarkupNote(number, 1, f'the front matter has "key: value" in a line, not "{line[:60]}"')
            )
    return tuple(pairs)
