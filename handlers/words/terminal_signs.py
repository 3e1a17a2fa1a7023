"""Characters removed from texts: terminal codes, and characters that XML cannot contain."""

from __future__ import annotations

import re

SIGNS = re.compile(
    r"(\x1b\[[0-9;]*m)"  # a colour, as in forms with colours (ECMA-48, SGR)
    r"|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # any other control sequence
    r"|[\x00-\x08\x0b-\x1f\x7f-\x9f]"  # C0 except tab and newline, DEL, C1
)
# Joiners have no width either, but are part of the text: they join letters.
UNSEEN = re.compile("[\u200b\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069\ufeff]")
IN_JSON = re.compile(rb"\x7f|\xc2[\x80-\x9f]")
"""The control characters that JSON need not escape, in UTF-8."""


UNWRITABLE = re.compile("[^\t\n\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def xml_text(text: str) -> str:
    """Return a text without characters that XML cannot contain."""
    return UNWRITABLE.sub("", text)


def safe_text(text: str) -> str:
    """Return a text without control characters except newline and tab, and without control sequences."""
    return SIGNS.sub("", text)


def safe_words(text: str) -> str:
    """Return the result of `safe_text` without invisible characters, which could hide or reorder text."""
    return UNSEEN.sub("", safe_text(text))


def safe_colors(text: str) -> str:
    """Return the result of `safe_text` with its colours, for forms that have removed users' own codes."""
    return SIGNS.sub(r"\1", text)


def safe_json(body: bytes) -> bytes:
    """Return an equal JSON document with every control character escaped."""
    if b"\x7f" not in body and b"\xc2" not in body:
        return body
    return IN_JSON.sub(lambda found: b"\\u%04x" % ord(found[0].decode()), body)
