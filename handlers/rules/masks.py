"""The crop of a picture (interface, Group, organisation and roles: avatar crop mask)."""

from __future__ import annotations

import re

from vfs.errors import Invalid

_NUMBER = r"[0-9]{1,6}(?:\.[0-9]{1,6})?"
_MASK = re.compile(rf"\(?\s*({_NUMBER})\s*,\s*({_NUMBER})\s*,\s*({_NUMBER})\s*\)?")


def mask(sent: str) -> str:
    """Return the crop `x,y,r` in pixels: the centre of a circle and its radius. Raises Invalid."""
    word = sent.strip()
    match = _MASK.fullmatch(word)
    if match is None or word.startswith("(") is not word.endswith(")") or not float(match[3]):
        raise Invalid("the mask is three numbers, x,y,r: the middle of the crop and its radius in pixels")
    return ",".join(match.groups())
