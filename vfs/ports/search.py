"""The port of the search for items by their words, and the normal form in which words are compared."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby, islice
from typing import NamedTuple, Protocol

from vfs.normal_form import normalize
from vfs.ports.items import Found, ItemName

LONGEST = 32
"""The number of characters of a word that are compared."""
MOST = 64
"""The number of words of a text that are indexed; more are left out."""
MOST_ASKED = 8
"""The number of words in a search; more are left out."""

# Letters that do not decompose, and that people often type as plain letters.
PLAIN = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "ħ": "h", "ı": "i", "æ": "ae", "œ": "oe", "þ": "th"}
)
# Accents and points that may be left out in writing. Vowel signs of Indic scripts are not included: they are
# letters.
ACCENTS = ((0x300, 0x36F), (0x591, 0x5C7), (0x610, 0x61A), (0x64B, 0x65F), (0x670, 0x670))
DROPPED = dict.fromkeys(number for first, last in ACCENTS for number in range(first, last + 1))
# Scripts without blanks between words: Thai to Burmese, Khmer, kana, and Chinese characters.
UNSPACED = ((0xE00, 0xEFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x3040, 0x30FF), (0x3400, 0x9FFF),
            (0xF900, 0xFAFF), (0x20000, 0x3FFFF))  # fmt: skip


class WordSpan(NamedTuple):
    """A range in a text, from the first character to before the last."""

    first: int
    last: int


def normal(text: str) -> str:
    """Return a text in the form in which letters are compared: without case, width and accents."""
    loose = normalize("NFKD", text.casefold()).translate(DROPPED).casefold()
    return normalize("NFC", loose.translate(PLAIN))


def words(text: str) -> frozenset[str]:
    """Return the words by which a text is found.

    These are all runs of letters and digits, and their parts that begin where letters change to digits or
    back, or, in a script without blanks, at any character. So a search for beginnings finds any part there.
    """
    return frozenset(islice(_beginnings(normal(text)), MOST))


def asked_words(text: str) -> tuple[str, ...]:
    """Return the words of a search, longest first. An item must have a word that begins with each."""
    runs = dict.fromkeys(run[:LONGEST] for _, run in _runs(normal(text)))
    return tuple(sorted(islice(runs, MOST_ASKED), key=len, reverse=True))


def marks(text: str, wanted: tuple[str, ...]) -> list[WordSpan]:
    """Return the ranges of a text that match the words of a search, sorted and without overlaps."""
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
    """Return a text in normal form, with the position of each of its characters in the original text."""
    parts = [normal(sign) for sign in text]
    places = [context for context, part in enumerate(parts) for _ in part]
    return "".join(parts), places


def _beginnings(text: str) -> Iterator[str]:
    for _, run in _runs(text):
        for start in _starts(run):
            yield run[start : start + LONGEST]


def _runs(text: str) -> Iterator[tuple[int, str]]:
    """Yield runs of letters, digits and marks on letters, each with its position."""
    start = 0
    for is_word, signs in groupby(text, lambda sign: unicodedata.category(sign)[0] in "LMN"):
        run = "".join(signs)
        if is_word:
            yield start, run
        start += len(run)


def _starts(run: str) -> Iterator[int]:
    """Yield the positions in a run at which a word begins."""
    for context, sign in enumerate(run):
        if not context or _begins(run[context - 1], sign):
            yield context


def _begins(before: str, sign: str) -> bool:
    """Return whether a word may begin at a character after another one; never at a mark on a letter."""
    if unicodedata.category(sign)[0] == "M":
        return False
    return before.isdigit() != sign.isdigit() or any(first <= ord(sign) <= last for first, last in UNSPACED)


class Whose(StrEnum):
    """The owners whose items are searched.

    `ALL`: all items that the caller may see. `MINE`: its own items. `SHARED`: items of others that are shared
    with it by name or through a group. `PUBLIC`: items that are shared with the public.
    """

    ALL = "all"
    MINE = "mine"
    SHARED = "shared"
    PUBLIC = "public"


class SearchOrder(StrEnum):
    """Orders of search results: last changed first, newest first, or by title."""

    CHANGED = "changed"
    CREATED = "created"
    NAME = "name"


class PageKey(NamedTuple):
    """The position of an item in an order, after which the next page begins."""

    value: str
    item: int


class SingleItems(NamedTuple):
    """Kinds with only single items to find, the ids of these, and those whose texts may be read."""

    kinds: tuple[str, ...]
    seen: tuple[int, ...]
    readable: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A search.

    `kinds`: the kinds to find. `readable`: those whose texts the caller may read if the item is shared.
    `single`: the items to find of the kinds that the caller's credential sees only by single items.
    `words`: beginnings of words in normal form; an item needs all of them (None: any item). `owner`: the
    only owner ("": any). `tag`: the leaf of a tag ("": any). `naming`: an item's texts must name one of
    these, and the caller must be able to read them (empty: any item).
    """

    caller: str | None
    kinds: tuple[str, ...]
    readable: tuple[str, ...]
    single: SingleItems | None = None
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

    `after`: the key of the last of them if there are more.
    """

    found: Sequence[Found]
    after: PageKey | None


class KindOfOwner(NamedTuple):
    """A kind of items and an owner, by which search results are counted."""

    kind: str
    owner: str


class NamedItem(NamedTuple):
    """An item of a known kind, as it is named in texts."""

    owner: str
    name: str


class NamingLeaf(NamedTuple):
    """A leaf whose text names an item: the kind and the name of the leaf's item, and its path."""

    kind: str
    name: str
    rel: str


class Search(Protocol):
    """The search for items by names, titles, summaries and owners."""

    def find(self, question: Question) -> Hits:
        """Return the items that a search finds, among those that the caller may see."""

    def count(self, question: Question) -> Mapping[KindOfOwner, int] | None:
        """Return counts of the results by kind and owner, for all pages; None if there are too many."""

    def count_tags(self, question: Question, most: int) -> Mapping[str, int] | None:
        """Return counts of the results by tag, the most frequent first, at most `most`; None if too many.

        Tags are the caller's own and categories, given as their leaves.
        """

    def naming_leaves(self, owner: str, named: ItemName, most: int) -> Sequence[NamingLeaf]:
        """Return at most `most` leaves of a user's items that name an item so, sorted; one statement."""

    def count_naming(self, owner: str, letter: str, named: Collection[NamedItem]) -> Mapping[NamedItem, int]:
        """Return how many of the user's own items name each of these items of a kind; one statement.

        Items that are not named are left out.
        """
