"""The words of a Dockerfile, instruction by instruction, with the places where they stand."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from typing import NamedTuple

_ESCAPE = re.compile(r"#[ \t]*escape[ \t]*=[ \t]*(`|\\)[ \t\r]*", re.IGNORECASE)
_HEREDOC = re.compile(r"\d*<<-?(?P<quote>[\"']?)(?P<end>[A-Za-z_][\w.]*)(?P=quote)")


class Word(NamedTuple):
    """A word of a recipe, or a part of one, and where it starts."""

    start: int
    text: str


def escape_of(text: str) -> str:
    """The character by which a line of a recipe goes on in the next one."""
    first = _ESCAPE.match(text)
    return first[1] if first else "\\"


def instructions(text: str) -> Iterator[list[Word]]:
    """The words of each instruction, over its continuation lines; those of heredocs are left out."""
    escape = escape_of(text)
    words: list[Word] = []
    ends: deque[str] = deque()
    start = 0
    for line in text.split("\n"):
        bare = line.strip()
        if ends:
            if bare == ends[0]:
                ends.popleft()
        elif bare and not bare.startswith("#"):
            continued = bare.endswith(escape)
            body = line.rstrip()[:-1] if continued else line
            words += [Word(start + word.start(), word[0]) for word in re.finditer(r"\S+", body)]
            if words and not continued:
                ends = deque(heredocs(words))
                yield words
                words = []
        start += len(line) + 1
    if words:
        yield words


def heredocs(words: list[Word]) -> list[str]:
    """The lines that end the heredocs of an instruction."""
    if words[0].text.upper() not in ("RUN", "COPY", "ADD"):
        return []
    return [match["end"] for word in words if (match := _HEREDOC.fullmatch(word.text))]


def flags(words: list[Word]) -> list[Word]:
    """The flags that stand before an instruction's own words."""
    end = next((n for n, word in enumerate(words[1:], 1) if not word.text.startswith("--")), len(words))
    return words[1:end]
