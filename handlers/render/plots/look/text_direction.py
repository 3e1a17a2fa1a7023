"""Direction of texts in drawings: one that begins in a script from right to left is ordered as a whole so."""

from __future__ import annotations

import re
import unicodedata
from html import unescape

ISOLATE, END = "\u2067", "\u2069"
"""RIGHT-TO-LEFT ISOLATE, and its end: every renderer obeys them, but not all the property `direction`."""
LINE = re.compile(r"(<text\b[^<>]*>)([^<]*)(</text>)")
TO_THE_RIGHT, TO_THE_LEFT = "L", ("R", "AL")


def with_directions(svg: str) -> str:
    """The drawing, its lines that begin from right to left marked as such; anchors stay where they are."""
    return svg if svg.isascii() else LINE.sub(_with_isolate, svg)


def is_to_the_left(text: str) -> bool:
    """Whether the first letter that has a direction goes from right to left (UAX 9, rules P2 and P3)."""
    kinds = (unicodedata.bidirectional(sign) for sign in text)
    first = next((kind for kind in kinds if kind == TO_THE_RIGHT or kind in TO_THE_LEFT), TO_THE_RIGHT)
    return first in TO_THE_LEFT


def _with_isolate(line: re.Match[str]) -> str:
    opening, text, closing = line.groups()
    return f"{opening}{ISOLATE}{text}{END}{closing}" if is_to_the_left(unescape(text)) else line[0]
