"""Words by which items are found: texts cut up in a normal form, in which letters are compared.

Kept indexes hold these words: who changes what comes out has a migration fill them anew.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from itertools import groupby, islice
from typing import NamedTuple

LONGEST = 32
"""Characters of a word that count."""
MOST = 64
"""Words of a text that count: more are left out."""
MOST_ASKED = 8
"""Words that are looked for at once: more are left out."""

# Letters that decompose to no plain one, yet are typed as such by whoever lacks them.
PLAIN = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "ħ": "h", "ı": "i", "æ": "ae", "œ": "oe", "þ": "th"}
)
# Accents and points that are left out in writing. Vowel signs of Indic scripts are none: they are letters.
ACCENTS = ((0x300, 0x36F), (0x591, 0x5C7), (0x610, 0x61A), (0x64B, 0x65F), (0x670, 0x670))
DROPPED = dict.fromkeys(number for first, last in ACCENTS for number in range(first, last + 1))
# Scripts that put no blanks between words: Thai to Burmese, Khmer, kana, and Chinese characters.
UNSPACED = ((0xE00, 0xEFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x3040, 0x30FF), (0x3400, 0x9FFF),
            (0xF900, 0xFAFF), (0x20000, 0x3FFFF))  # fmt: skip


class WordSpan(NamedTuple):
    """A place in a text, from the first character to before the last."""

    first: int
    last: int


def normal(text: str) -> str:
    """A text as letters are compared: without case, width and accents."""
    loose = unicodedata.normalize("NFKD", text.casefold()).translate(DROPPED).casefold()
    return unicodedata.normalize("NFC", loose.translate(PLAIN))


def words(text: str) -> frozenset[str]:
    """The words that a text is found by.

    Of each run of letters and digits: itself, and what begins where letters turn to digits or back, or, in a
    script without blanks, at any character. So looking for beginnings finds any part there.
    """
    return frozenset(islice(_beginnings(normal(text)), MOST))


def asked_words(text: str) -> tuple[str, ...]:
    """The words that somebody looks for, the longest first: an item needs a beginning of each."""
    runs = dict.fromkeys(run[:LONGEST] for _, run in _runs(normal(text)))
    return tuple(sorted(islice(runs, MOST_ASKED), key=len, reverse=True))


def marks(text: str, wanted: tuple[str, ...]) -> list[WordSpan]:
    """The places of a text that have what was asked for, in order and apart from each other."""
    plain, places = _with_places(text)
    found: list[WordSpan] = []
    for start, run in _runs(plain):
        for at in _starts(run):
            length = max((len(word) for word in wanted if run.startswith(word, at)), default=0)
            if not length:
                continue
            first, last = places[start + at], places[start + at + length - 1] + 1
            if found and first < found[-1].last:
                found[-1] = WordSpan(found[-1].first, max(found[-1].last, last))
            else:
                found.append(WordSpan(first, last))
    return found


def _with_places(text: str) -> tuple[str, list[int]]:
    """A text in normal form, with the place that each of its characters has in the text itself."""
    parts = [normal(sign) for sign in text]
    places = [place for place, part in enumerate(parts) for _ in part]
    return "".join(parts), places


def _beginnings(text: str) -> Iterator[str]:
    for _, run in _runs(text):
        for start in _starts(run):
            yield run[start : start + LONGEST]


def _runs(text: str) -> Iterator[tuple[int, str]]:
    """Runs of letters, digits and marks on letters, each with its place."""
    start = 0
    for is_word, signs in groupby(text, lambda sign: unicodedata.category(sign)[0] in "LMN"):
        run = "".join(signs)
        if is_word:
            yield start, run
        start += len(run)


def _starts(run: str) -> Iterator[int]:
    """The places of a run at which a word begins."""
    for place, sign in enumerate(run):
        if not place or _begins(run[place - 1], sign):
            yield place


def _begins(before: str, sign: str) -> bool:
    """Whether a word may begin at a sign that stands behind another: never at a mark on a letter."""
    if unicodedata.category(sign)[0] == "M":
        return False
    return before.isdigit() != sign.isdigit() or any(first <= ord(sign) <= last for first, last in UNSPACED)
