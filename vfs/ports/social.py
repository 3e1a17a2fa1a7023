"""The ports of tags, comments, and actions on items."""

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
"""The maximum number of actions kept of an item; older ones are deleted."""


def tag_rel(tag: str, user: str) -> str:
    """Return the leaf that stands for a tag of an item: one for a category, one per user for other tags."""
    return f"tags/{CATEGORY if tag.startswith(CATEGORY) else f'@{user}'}/{tag}"


class Tags(Protocol):
    """The search for items by tags. The tags of one item are its leaves."""

    def carriers(self, tag: str, caller: str) -> Sequence[Found]:
        """Return items of every kind with a tag that the caller sees, by owner and name; one statement.

        The tag is the caller's own, or a category.
        """

    def of(self, caller: str) -> Sequence[Mark]:
        """Return the caller's tags, and the categories of its own items, by name; one statement.

        Each is included once, as `rel`.
        """

    def forget(self, tag: str, caller: str) -> bool:
        """Remove a tag of the caller from every item. Return False if no item had it.

        A category is removed from the caller's own items.
        """


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment on a resource.

    `parent`: the comment it answers, TOP for the first of a thread. `topic`: the first comment of the thread.
    `depth`: counts from 1. `edited`: its text was changed. `deleted`: its text was deleted; it remains for
    its answers. `replies`: the number of its answers.
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
        """The name of the comment among its siblings."""
        return f"@{self.author}~{self.slug}"


class Threads(Protocol):
    """The store of comments on items. They are deleted with their item."""

    def find(self, item: int, parent: int, author: str, slug: str) -> Comment | None:
        """Return a comment among those on a parent, or None; one statement."""

    def on(self, item: int, parent: int) -> Sequence[Comment]:
        """Return the comments on a parent, oldest first; one statement."""

    def counts(self, items: Sequence[int]) -> Mapping[int, Mapping[int, int]]:
        """Return the number of comments below each topic of many items, in order; one statement per 500."""

    def whole(self, items: Sequence[int], most: int) -> Sequence[Comment]:
        """Return at most `most` comments on many items, oldest first; one statement per 500 items."""

    def add(self, item: int, parent: Comment | None, author: str, slug: str, text: str) -> Comment:
        """Add a comment; None begins a thread.

        Raises Conflict when the author has one of that slug there, NotFound when the parent or item is gone.
        """

    def write(self, comment: Comment, text: str) -> None:
        """Set the text of a comment. Raises NotFound when it is gone or deleted."""

    def remove(self, comment: Comment) -> None:
        """Remove a comment. If it has answers, it is kept as deleted until they are all removed."""

    def speakers(self, topic: int) -> Sequence[str]:
        """Return the authors in a thread, by name; one statement."""


@dataclass(frozen=True, slots=True)
class ItemAction:
    """An action of a user, the `actor`, on an item, done `times` times between two time stamps.

    `kind` is a word such as `wrote`. `below`: the path inside the item, "" for the item itself. `target`: the
    target of a share, else "".
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
    """The store of the newest actions on each item. They are deleted with it."""

    def add(
        self, item: int, actor: str, kind: str, below: str = "", target: str = "", *, loose: bool = False
    ) -> None:
        """Add an action, or count it as a repetition of an equal one of the last hour.

        Equal means the same words; with `loose` the path may differ, and the newest path is kept.
        """

    def of(self, item: int, before: int | None, most: int, *, shares: bool) -> Sequence[ItemAction]:
        """Return the actions of an item, newest first, with numbers below `before`; one statement.

        Those with a target are included only with `shares`.
        """
