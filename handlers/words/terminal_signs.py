"""Control signs in texts that are shown: what a terminal would obey, and must not on the word of others."""

from __future__ import annotations

import re

SIGNS = re.compile(
    r"(\x1b\[[0-9;]*m)"  # a colour, as forms with colours write it (ECMA-48, SGR)
    r"|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # any other control sequence
    r"|[\x00-\x08\x0b-\x1f\x7f-\x9f]"  # C0 but tab and newline, DEL, C1
)
# Joiners take no room either, and belong to the letters on both sides of them.
UNSEEN = re.compile("[\u200b\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069\ufeff]")
IN_JSON = re.compile(rb"\x7f|\xc2[\x80-\x9f]")
"""The control signs that JSON need not escape, in UTF-8."""


def safe_text(text: str) -> str:
    """A text without control signs but newline and tab, and without the rest of control sequences."""
    return SIGNS.sub("", text)


def safe_words(text: str) -> str:
    """The same without signs that nobody sees, which take no room or turn the order of others."""
    return UNSEEN.sub("", safe_text(text))


def safe_colors(text: str) -> str:
    """The same with its colours: for forms that have made them, and whose makers kept out all others."""
    return SIGNS.sub(r"\1", text)


def safe_json(body: bytes) -> bytes:
    """A JSON document of the same meaning, in which every control sign is escaped."""
    if b"\x7f" not in body and b"\xc2" not in body:
        return body
    return IN_JSON.sub(lambda found: b"\\u%04x" % ord(found[0].decode()), body)
