"""The normal forms of Unicode, in time that is linear in the text."""

from __future__ import annotations

import unicodedata
from functools import partial
from itertools import groupby
from typing import Literal

SHORT = 256
"""Maximum length of a text that is not prepared, because it is short."""


def normalize(form: Literal["NFC", "NFD", "NFKD"], text: str) -> str:
    """Return a text in a normal form (Unicode Standard Annex 15).

    `unicodedata` sorts combining marks by insertion. For many in a row this takes quadratic time, in which no
    other thread runs. So this function sorts them first.
    """
    if text.isascii() or len(text) <= SHORT:
        return unicodedata.normalize(form, text)
    decompose = partial(unicodedata.normalize, "NFKD" if form == "NFKD" else "NFD")
    runs = groupby("".join(map(decompose, text)), key=lambda sign: unicodedata.combining(sign) > 0)
    parts = (sorted(run, key=unicodedata.combining) if is_marks else run for is_marks, run in runs)
    return unicodedata.normalize(form, "".join("".join(part) for part in parts))
