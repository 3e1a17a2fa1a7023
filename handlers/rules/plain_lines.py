"""Words of others on one line of a log, a listing or a terminal: they add no line, and steer nothing."""

from __future__ import annotations


def one_line(words: str) -> str:
    """Words on one line, with a space for each run of signs that are not to be seen."""
    return " ".join("".join(sign if sign.isprintable() else " " for sign in words).split())
