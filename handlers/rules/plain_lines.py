"""Words of others on one line of a log, a listing or a terminal: they add no line, and steer nothing."""

from __future__ import annotations

import unicodedata

from handlers.rules.foreign_words import JOINERS, isolate

VIRAMA = 9
"""The combining class of the signs after which a joiner belongs to the letter, at the end of a word too."""


def one_line(words: str) -> str:
    """Words on one line, with a space for each run of signs that are not to be seen.

    Joiners stay between letters, and where they make the form of a letter.
    """
    signs = (sign if sign.isprintable() or sign in JOINERS else " " for sign in words)
    return " ".join(filter(None, map(_without_lone, "".join(signs).split())))


def _without_lone(word: str) -> str:
    """A word without the joiners at its ends that join nothing."""
    begun = word.lstrip(JOINERS)
    bare = begun.rstrip(JOINERS)
    joins = bare and unicodedata.combining(bare[-1]) == VIRAMA
    return begun[: len(bare) + 1] if joins else bare


def told_line(words: str) -> str:
    """The same to stand beside words of our own, whose order it leaves as it is."""
    return isolate(one_line(words))
