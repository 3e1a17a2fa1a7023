"""The form in which passwords are compared, independent of keyboards (RFC 8265, 4.2)."""

from __future__ import annotations

import unicodedata

from vfs.normal_form import normalize

LONGEST = 4_096
"""Longer texts are never passwords here."""


def opaque_string(word: str) -> str:
    """Return the word in NFC, with every space character as an ASCII space."""
    if word.isascii() or len(word) > LONGEST:
        return word
    spaced = (" " if unicodedata.category(sign) == "Zs" else sign for sign in word)
    return normalize("NFC", "".join(spaced))
