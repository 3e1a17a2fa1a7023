"""Foreign text on one line of a log, a listing or a terminal: no line breaks, no control characters."""

from __future__ import annotations

import unicodedata

from handlers.rules.foreign_words import JOINERS, isolate

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
