"""Words of others on one line of a log, a listing or a terminal: they add no line, and steer nothing."""

from __future__ import annotations

import re

from handlers.foreign_words import JOINERS, isolate

LONE = re.compile(rf"(?<!\S)[{JOINERS}]+|(?<![{JOINERS}])[{JOINERS}]++(?!\S)")


def one_line(words: str) -> str:
    """Words on one line, with a space for each run of signs that are not to be seen.

    Joiners stay between letters.
    """
    signs = (sign if sign.isprintable() or sign in JOINERS else " " for sign in words)
    return " ".join(LONE.sub(" ", "".join(signs)).split())


def told_line(words: str) -> str:
    """The same to stand beside words of our own, whose order it leaves as it is."""
    return isolate(one_line(words))
