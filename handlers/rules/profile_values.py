"""Values of profiles: identity colours of organisations, and the crop of a picture."""

from __future__ import annotations

import re

from vfs.errors import Invalid

_COLOUR = re.compile(r"#[0-9A-Fa-f]{6}")


def colour(sent: str) -> str:
    """Return the colour `#RRGGBB` with its case kept, and without one final line ending.

    Raises Invalid.
    """
    word = without_line_end(sent)
    if not _COLOUR.fullmatch(word):
        raise Invalid(
            "a colour is # and exactly six hexadecimal digits, such as #1A2b3C, and nothing around it"
        )
    return word


def without_line_end(sent: str) -> str:
    """Return text without one final line ending, which editors and `echo` add."""
    return sent.removesuffix("\n").removesuffix("\r") if sent.endswith("\n") else sent


_NUMBER = r"[0-9]{1,6}(?:\.[0-9]{1,6})?"
_MASK = re.compile(rf"\(?\s*({_NUMBER})\s*,\s*({_NUMBER})\s*,\s*({_NUMBER})\s*\)?")


def mask(sent: str) -> str:
    """Return the crop `x,y,r` in pixels: the centre of a circle and its radius. Raises Invalid."""
    word = sent.strip()
    match = _MASK.fullmatch(word)
    if match is None or word.startswith("(") is not word.endswith(")") or not float(match[3]):
        raise Invalid("the mask is three numbers, x,y,r: the middle of the crop and its radius in pixels")
    return ",".join(match.groups())
