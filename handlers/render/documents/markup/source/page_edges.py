"""Header and footer of pages, as written in the front matter: text at both ends of a line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from handlers.render.documents.markup.blocks import MarkupNote, place_of

KEYS = ("header", "footer")
FIELDS = ("page", "section", "title")
FIELD = re.compile(r"\{([^{}\n]{0,40})\}")
NOTHING = ("none", "false", "no", "off")
LONGEST = 200

Edge = tuple[str, ...]
"""Pieces of one end of a line: text, and fields such as `{page}`."""


def read_edge(text: str) -> tuple[Edge, ...]:
    """Return the pieces at the start of a line and, after a `|`, at its end; nothing for `none`."""
    if text.strip().lower() in NOTHING:
        return ((), ())
    return tuple(_pieces(end.strip()) for end in text[:LONGEST].split("|", 1))


def edge_words(text: str, fields: Mapping[str, str]) -> str:
    """Return a header or footer for a text without pages: ends with a page number are left out."""
    ends = [
        "".join(fields.get(piece[1:-1], piece) if is_field(piece) else piece for piece in end)
        for end in read_edge(text)
        if "{page}" not in end and "{section}" not in end
    ]
    return " · ".join(filter(None, ends))


def is_field(piece: str) -> bool:
    """Return whether a piece is a field."""
    return piece[1:-1] in FIELDS and piece == f"{{{piece[1:-1]}}}"


def edge_notes(keys: Mapping[str, str], lines: Sequence[str]) -> Iterator[MarkupNote]:
    """Yield notes on unknown fields in a header or a footer, with their lines in the text."""
    for key in KEYS:
        text = keys.get(key, "")
        for found in FIELD.finditer(text[:LONGEST]):
            if found[1] not in FIELDS:
                reason = f'a {key} has no "{found[0]}": there are {{page}}, {{section}} and {{title}}'
                yield _note(lines, found[0], reason)
        if text.count("|") > 1:
            yield _note(lines, f"{key}:", f"a {key} has two ends: write words, or start | end")
        if len(text) > LONGEST:
            yield _note(lines, f"{key}:", f"a {key} has at most {LONGEST} letters: the rest is left out")


def _pieces(text: str) -> Edge:
    pieces, at = [], 0
    for found in FIELD.finditer(text):
        pieces += [text[at : found.start()], found[0]]
        at = found.end()
    return tuple(piece for piece in (*pieces, text[at:]) if piece)


def _note(lines: Sequence[str], sought: str, reason: str) -> MarkupNote:
    return MarkupNote(*place_of(lines, 1, sought), reason)
