"""Long words for paper: with places at which lines may end, as the library takes a word's square of time."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

LONGEST, PIECE = 100, 8
"""Letters of a word that is given such places, and letters between two of them."""
PLACE = "\u200b"
"""A place at which a line may end: it takes no room and is no letter when words are copied or read aloud."""
EAST = "\u2e80-\u9fff\ua000-\ua4cf\uac00-\ud7af\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff"
"""Letters between which lines may end anyhow."""
LETTER = rf"&#?\w{{1,31}};|[^\s<>&{EAST}]"
TOKENS = re.compile(rf"<(?:\"[^\"]*\"|'[^']*'|[^<>\"'])*+>|((?<![^\s<>&{EAST}])(?:{LETTER}){{{LONGEST},}})")
LETTERS = re.compile(LETTER)
JOINED = ("Mn", "Me", "Mc", "Cf", "Sk")


def part_words(html: str) -> str:
    """HTML in whose endless words a line may end."""
    return TOKENS.sub(lambda found: PLACE.join(_pieces(found[1])) if found[1] else found[0], html)


def _pieces(word: str) -> Iterator[str]:
    letters = LETTERS.findall(word)
    start = 0
    while start < len(letters):
        end = start + PIECE
        while end < len(letters) and _joins(letters, end):
            end += 1
        yield "".join(letters[start:end])
        start = end


def _joins(letters: list[str], at: int) -> bool:
    """Whether a letter belongs to the one before it."""
    near = letters[at - 1 : at + 1]
    return any(unicodedata.category(sign) in JOINED for sign in near if len(sign) == 1)
