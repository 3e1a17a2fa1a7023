"""The port that finds items by their words, among those that a caller may see."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple, Protocol

from vfs.ports.items import Found, ItemName


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

    `kinds`: the kinds that are looked for. `readable`: those of them of which the caller may read texts where
    the item is open to it. `words`: the beginnings of words that an item needs all of, in normal form (None:
    any item). `owner`: whose items alone (""; anybody's). `tag`: the leaf that a tag is ("": any).
    `naming`: names of which an item's texts have one, for those who may read it (none: any item).
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
