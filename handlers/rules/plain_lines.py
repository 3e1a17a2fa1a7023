"""Foreign text among texts of this server: on one line, and without effect on what is around it."""

from __future__ import annotations

import unicodedata

JOINERS = "\u200c\u200d"
FSI, PDI = "\u2068", "\u2069"
_POP = "\u202c"
_ISOLATES, _EMBEDDINGS = "\u2066\u2067\u2068", "\u202a\u202b\u202d\u202e"
_TURNING = {"R", "AL", "AN", "LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
_DEEPEST = 40
"""Most nested openings that are kept: below a depth of 125 the Unicode algorithm ignores all, also ours."""


def may_turn(text: str) -> bool:
    """Return whether a text has characters that may reorder the text around it."""
    return not text.isascii() and any(unicodedata.bidirectional(sign) in _TURNING for sign in text)


def balance(text: str) -> str:
    """Return a text without unmatched closings, in which each line closes what it opens."""
    return "".join(map(_balanced_line, text.splitlines(keepends=True))) if may_turn(text) else text


def isolate(text: str) -> str:
    """Return one line of plain text, isolated so that it reorders nothing around it; else unchanged."""
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
            # The end of an isolate also closes the embeddings inside it.
            while opened.pop() != PDI:
                pass
        made.append(sign)
    return "".join((*made, *reversed(opened), line[len(words) :]))


VIRAMA = 9
"""Combining class of characters after which a joiner belongs to the letter, even at the end of a word."""


def one_line(words: str) -> str:
    """Return text on one line, with a space for each run of invisible characters.

    Joiners are kept between letters, and where they change the form of a letter.
    """
    signs = (sign if sign.isprintable() or sign in JOINERS else " " for sign in words)
    return " ".join(filter(None, map(_without_lone, "".join(signs).split())))


def _without_lone(word: str) -> str:
    """Return a word without joiners at its ends that join nothing."""
    begun = word.lstrip(JOINERS)
    bare = begun.rstrip(JOINERS)
    joins = bare and unicodedata.combining(bare[-1]) == VIRAMA
    return begun[: len(bare) + 1] if joins else bare


def shown_line(words: str) -> str:
    """Return text on one line, isolated so that it does not reorder the text around it."""
    return isolate(one_line(words))
