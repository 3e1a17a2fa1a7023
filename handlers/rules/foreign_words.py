"""Words of others among our own: none of their signs turns the order of what stands beside them."""

from __future__ import annotations

import unicodedata

JOINERS = "\u200c\u200d"
FSI, PDI = "\u2068", "\u2069"
_POP = "\u202c"
_ISOLATES, _EMBEDDINGS = "\u2066\u2067\u2068", "\u202a\u202b\u202d\u202e"
_TURNING = {"R", "AL", "AN", "LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
_DEEPEST = 40
"""Openings in one another that are kept: beyond 125 the algorithm counts none, ours neither."""


def may_turn(text: str) -> bool:
    """Whether a text holds anything that may change the order of what stands beside it."""
    return not text.isascii() and any(unicodedata.bidirectional(sign) in _TURNING for sign in text)


def balance(text: str) -> str:
    """A text that closes on each line what it opens there, and nothing that it did not open."""
    return "".join(map(_balanced_line, text.splitlines(keepends=True))) if may_turn(text) else text


def isolate(text: str) -> str:
    """A plain text of one line that turns nothing beside it; unchanged where it has nothing that could."""
    return f"{FSI}{balance(text)}{PDI}" if may_turn(text) else text


def _balanced_line(line: str) -> str:
    words = line.rstrip("\r\n\v\f\x1c\x1d\x1e\x85\u2028\u2029")
    made: list[str] = []
    opened: list[str] = []
    for sign in words:
        if sign in _ISOLATES or sign in _EMBEDDINGS:
            if len(opened) == _DEEPEST:
                continue
            opened.append(PDI if sign in _ISOLATES else _POP)
        elif sign == _POP:
            if not opened or opened[-1] != _POP:
                continue
            opened.pop()
        elif sign == PDI:
            if PDI not in opened:
                continue
            # What was embedded inside of an isolate ends with it.
            while opened.pop() != PDI:
                pass
        made.append(sign)
    return "".join((*made, *reversed(opened), line[len(words) :]))
