"""The port that finds items by their words, and the normal form in which these are compared."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby, islice
from typing import NamedTuple, Protocol

from vfs.ports.items import Found, ItemName

LONGEST = 32
"""Characters of a word that count."""
MOST = 64
"""Words of a text that count: more are left out."""
MOST_ASKED = 8
"""Words that are looked for at once: more are left out."""

# Letters that do not decompose, and that people without them on the keyboard type as plain letters.
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
    places = [context for context, part in enumerate(parts) for _ in part]
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
    for context, sign in enumerate(run):
        if not context or _begins(run[context - 1], sign):
            yield context


def _begins(before: str, sign: str) -> bool:
    """Whether a word may begin at a sign that stands behind another: never at a mark on a letter."""
    if unicodedata.category(sign)[0] == "M":
        return False
    return before.isdigit() != sign.isdigit() or any(first <= ord(sign) <= last for first, last in UNSPACED)


class Whose(StrEnum):
    """Whose items are looked for.

    `ALL`: all that the caller may see. `MINE`: its own. `SHARED`: those of others that reach it by its name
    or through a group. `PUBLIC`: those that are shared with everybody.
    """

    ALL = "all"
    MINE = "mine"
    SHARED = "shared"
    PUBLIC = "public"


class SearchOrder(StrEnum):
    """Orders of what is found: newest change first, newest first, or by title."""

    CHANGED = "changed"
    CREATED = "created"
    NAME = "name"


class PageKey(NamedTuple):
    """The place of an item in an order, after which a page goes on."""

    value: str
    item: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """The question that a search answers.

    `kinds`: the kinds that are looked for. `readable`: those whose texts the caller may read where
    the item is open to it. `words`: the beginnings of words that an item needs all of, in normal form (None:
    any item). `owner`: whose items alone (""; anybody's). `tag`: the leaf that a tag is ("": any).
    `naming`: names; an item's texts have one of them, for those who may read it (none: any item).
    """

    caller: str | None
    kinds: tuple[str, ...]
    readable: tuple[str, ...]
    words: tuple[str, ...] | None = None
    owner: str = ""
    tag: str = ""
    naming: tuple[ItemName, ...] = ()
    whose: Whose = Whose.ALL
    order: SearchOrder = SearchOrder.CHANGED
    after: PageKey | None = None
    most: int = 50


class Hits(NamedTuple):
    """Items that were found, in order, each with every grant that is effective for the caller.

    `after`: the key of the last of them where there are more.
    """

    found: Sequence[Found]
    after: PageKey | None


class KindOfOwner(NamedTuple):
    """A kind of items and an owner of some, by which what is found is counted."""

    kind: str
    owner: str


class NamedItem(NamedTuple):
    """An item of a known kind, as texts name it."""

    owner: str
    name: str


class NamingLeaf(NamedTuple):
    """A leaf whose text names an item: the kind and the name of its own item, and its path."""

    kind: str
    name: str
    rel: str


class Search(Protocol):
    """Finds items by names, titles, summaries and owners."""

    def find(self, question: Question) -> Hits:
        """The items that a question asks for, of those that the caller may see."""
        ...

    def count(self, question: Question) -> Mapping[KindOfOwner, int] | None:
        """Count what is asked for by kinds and owners, wherever its page begins; None for very many."""
        ...

    def count_tags(self, question: Question, most: int) -> Mapping[str, int] | None:
        """Count the same by tags, the most frequent first, so many at most; None for very many.

        Tags are the caller's own and categories, as the leaves that they are.
        """
        ...

    def naming_leaves(self, owner: str, named: ItemName, most: int) -> Sequence[NamingLeaf]:
        """The leaves of a user's own items that name an item so, in order, at most so many; one statement."""
        ...

    def count_naming(self, owner: str, letter: str, named: Collection[NamedItem]) -> Mapping[NamedItem, int]:
        """Count the user's own items that name each of these items of a kind; one statement.

        Those that none of them names are left out.
        """
        ...
