"""Identity colours of organisations (interface, Groups and organisations, colour rules)."""

from __future__ import annotations

import re

from vfs.errors import Invalid

_COLOUR = re.compile(r"#[0-9A-Fa-f]{6}")


def colour(sent: str) -> str:
    """Return the colour `#RRGGBB` with its case kept, and without one final line ending.

    Raises Invalid.
    """
    word = one_line(sent)
    if not _COLOUR.fullmatch(word):
        raise Invalid(
            "a colour is # and exactly six hexadecimal digits, such as #1A2b3C, and nothing around it"
        )
    return word


def one_line(sent: str) -> str:
    """Return text without one final line ending, which editors and `echo` add."""
    return sent.removesuffix("\n").removesuffix("\r") if sent.endswith("\n") else sent
