"""The one form in which passwords are compared, however a keyboard spells their letters (RFC 8265, 4.2)."""

from __future__ import annotations

import unicodedata

LONGEST = 4_096
"""Characters beyond which nothing is a password here: to put very many marks in order takes for ever."""


def opaque_string(word: str) -> str:
    """The word with its letters composed (NFC), and every other space as the one of ASCII."""
    if word.isascii() or len(word) > LONGEST:
        return word
    spaced = (" " if unicodedata.category(sign) == "Zs" else sign for sign in word)
    return unicodedata.normalize("NFC", "".join(spaced))
