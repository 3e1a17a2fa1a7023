"""Names of columns and rows that tell of years, and the numbers that are years under such a name."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

WORD = re.compile(r"[^\W\d_]+|[№#]")
HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")
OF_WORDS = "of per by in at for from de des du di del da von pro je par van af av"
WORDS_OF_YEARS = "year years yr jahr jahre année annee année año ano anno år rok vintage"
WORDS_OF_TIME = "date datum time season zeit saison fecha data temps quarter month"
PAST_WORDS = "founded established born died built opened since gegründet geboren discovered seit depuis"
OF = frozenset(OF_WORDS.split())
RATES = frozenset(("per", "by", "pro", "je", "par", "for", "of"))
"""Words after which a year is what something is counted by."""
OF_YEARS, OF_TIME, PAST = (frozenset(words.split()) for words in (WORDS_OF_YEARS, WORDS_OF_TIME, PAST_WORDS))
FIRST_NAMED, FIRST_YEAR, LAST_YEAR = 1000, 1500, 2199
"""The years that a name makes of numbers, and those that are read as such without one."""


def words_of(name: str) -> tuple[list[str], int | None]:
    """The words of a name, and the place of the first "of" between them."""
    words = [word.lower() for word in WORD.findall(HUMP.sub(" ", name[:200]))]
    return words, next((at for at, word in enumerate(words) if at and word in OF), None)


@lru_cache(maxsize=4096)
def is_year_name(name: str) -> bool:
    """Whether a name stands for years alone, as that of a row may."""
    words, end = words_of(name)
    past = bool(words) and words[-1] in PAST and (len(words) == 1 or words[-2] in OF_YEARS)
    return past or bool(words and words[:end][-1] in OF_YEARS)


@lru_cache(maxsize=4096)
def holds_year_word(name: str, *, times: bool = False) -> bool:
    """Whether a word for years, or for what happened in one, stands in a name.

    With `times` a word for time is one, too.
    """
    words, _ = words_of(name)
    known = OF_YEARS | PAST | (OF_TIME if times else frozenset())
    return any(
        word in known or word.endswith("jahr")
        for at, word in enumerate(words)
        if not at or words[at - 1] not in RATES
    )


def are_years(name: str, numbers: Iterable[float | None], *, times: bool = False) -> bool:
    """Whether the numbers of a column are years, by its name and by what they are."""
    known = [number for number in numbers if number is not None]
    return (
        bool(known)
        and holds_year_word(name, times=times)
        and all(FIRST_NAMED <= number <= LAST_YEAR + 1 for number in known)
        and (times or all(number.is_integer() for number in known))
    )
