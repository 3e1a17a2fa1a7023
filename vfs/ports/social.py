"""The ports about what people say of resources and do to them: tags, comments, and actions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from vfs.ports.items import Found
from vfs.ports.leaves import Mark

CATEGORY = "="
TOP = 0
PUSHED = "pushed"
MOST_ACTIONS = 500
"""Actions that are kept of an item, the newest."""


def tag_rel(tag: str, user: str) -> str:
    """The leaf of an item that says that it has a tag: categories once for all, other tags once a user."""
    return f"tags/{CATEGORY if tag.startswith(CATEGORY) else f'@{user}'}/{tag}"


class Tags(Protocol):
    """Finds items by their tags; the tags of one item are its leaves."""

    def carriers(self, tag: str, caller: str) -> Sequence[Found]:
        """Items of every kind that carry a tag and that the caller sees, by owner and name; one statement.

        A tag is the caller's own, or a category.
        """
        ...

    def of(self, caller: str) -> Sequence[Mark]:
        """Tags that the caller gave, and categories of its own items, by name; one statement.

        Each once, as `rel`.
        """
        ...

    def forget(self, tag: str, caller: str) -> bool:
        """Take a tag of the caller's off every item; False when nothing had it.

        A category goes off the caller's own items.
        """
        ...


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment on a resource.

    `parent`: the comment it answers, TOP for the first of a thread. `topic`: the first one of the thread.
    `depth`: counts from 1. `edited`: its text was written more than once. `deleted`: its text is gone; it
    stays for its answers. `replies`: the number of its answers.
    """

    id: int
    item: int
    parent: int
    topic: int
    depth: int
    author: str
    slug: str
    text: str
    created_on: str
    last_modified: str
    edited: bool = False
    deleted: bool = False
    replies: int = 0

    @property
    def name(self) -> str:
        """Its name among its siblings."""
        return f"@{self.author}~{self.slug}"


class Threads(Protocol):
    """Keeps the comments on items; they go with their item."""

    def find(self, item: int, parent: int, author: str, slug: str) -> Comment | None:
        """A comment among those on a parent; one statement."""
        ...

    def on(self, item: int, parent: int) -> Sequence[Comment]:
        """The comments on a parent, oldest first; one statement."""
        ...

    def counts(self, items: Sequence[int]) -> Mapping[int, Mapping[int, int]]:
        """The numbers of comments below each topic of many items, in order; one statement for 500 items."""
        ...

    def whole(self, items: Sequence[int], most: int) -> Sequence[Comment]:
        """All comments on many items, oldest first, at most so many; one statement for 500 items."""
        ...

    def add(self, item: int, parent: Comment | None, author: str, slug: str, text: str) -> Comment:
        """A new comment; None begins a thread.

        Raises Conflict when the author has one of that slug there, NotFound when the parent or item is gone.
        """
        ...

    def write(self, comment: Comment, text: str) -> None:
        """Give a comment a text. Raises NotFound when it is gone or deleted."""
        ...

    def remove(self, comment: Comment) -> None:
        """Take a comment away: with answers it stays deleted until the last of them goes."""
        ...

    def speakers(self, topic: int) -> Sequence[str]:
        """Authors in a thread, by name; one statement."""
        ...


@dataclass(frozen=True, slots=True)
class ItemAction:
    """Something that a user, the `actor`, did to an item, `times` times between two moments.

    `kind` is a word such as `wrote`. `below`: the path inside the item, "" for the item itself. `target`:
    whom a share is for, else "".
    """

    id: int
    item: int
    actor: str
    kind: str
    below: str
    target: str
    first_on: str
    last_on: str
    times: int


class ItemActions(Protocol):
    """Keeps the newest actions of each item; they go with it."""

    def add(
        self, item: int, actor: str, kind: str, below: str = "", target: str = "", *, loose: bool = False
    ) -> None:
        """A new action, or one more time of the same within an hour, if it is among the newest of the item.

        The same is what has the same words; a `loose` one may have another path, and the newest is kept.
        """
        ...

    def of(self, item: int, before: int | None, most: int, *, shares: bool) -> Sequence[ItemAction]:
        """Actions of an item, newest first, from before that number on; one statement.

        Those that name a target are among them only with `shares`.
        """
        ...
