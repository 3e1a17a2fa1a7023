"""The port that stores items, looked up by kind, owner and name."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple, Protocol

from vfs.access import EffectiveGrant


class Item(NamedTuple):
    """A resource: looked up by kind, owner and name, never by path."""

    id: int
    kind: str
    owner: str
    name: str
    shortname: str
    created_on: str
    last_modified: str


class Found(NamedTuple):
    """An item with the grants that are effective for the caller (empty for the owner, who needs none)."""

    item: Item
    effective_grants: tuple[EffectiveGrant, ...] = ()


class ItemName(NamedTuple):
    """An item named in a text: the letter of its kind, owner ("": the owner of the text) and name.

    A shortname has neither letter nor owner.
    """

    letter: str
    owner: str
    name: str


class ItemStore(Protocol):
    """The store of items. `caller` is a user's name, or None for the public."""

    def find(self, kind: str, owner: str, name: str, caller: str | None) -> Found | None:
        """Return the item with the grants effective for `caller` now; None if there is no such item.

        An item without any grant for the caller is returned without grants: the kernel hides it.
        """

    def at(self, id: int, caller: str | None) -> Found | None:
        """Return the item by id, with every grant that is effective for `caller` now."""

    def all_at(self, ids: Collection[int], caller: str | None) -> Mapping[int, Found]:
        """Return the existing items of several ids, as `at` does; one statement per 500."""

    def all_named(
        self, kind: str, names: Collection[tuple[str, str]], shortnames: Collection[str], caller: str | None
    ) -> Sequence[Found]:
        """Return the items of a kind with these owners and names, or shortnames, by id; one statement.

        Each has every grant that is effective for `caller` now.
        """

    def by_shortname(self, shortname: str, caller: str | None) -> Found | None:
        """Return the item by shortname, as `find` does."""

    def visible(self, kind: str, owner: str | None, caller: str | None) -> Sequence[Found]:
        """Return items of a kind that the caller owns or has a grant on, by owner and name; one statement.

        Those of one owner or (None) of all.
        """

    def stamps_of(self, kind: str, owner: str) -> Sequence[tuple[str, str, str]]:
        """Return name, created_on and last_modified of a user's items of a kind, by name; one statement."""

    def near(self, kind: str, owner: str, name: str, most: int) -> Sequence[str]:
        """Return names of a user's items next to a name in order, `most` on each side; one statement."""

    def through(self, kind: str, groups: Sequence[str], caller: str | None) -> Sequence[Found]:
        """Return items that members of these groups share with one of the groups, with the caller's grants.

        They are sorted by owner and name; one statement.
        """

    def create(self, kind: str, owner: str, name: str) -> Item:
        """Create an item with a new shortname. Raises Conflict when the name is taken."""

    def rename(self, item: Item, name: str) -> Item:
        """Rename an item and return it.

        Raises Conflict when the name is taken, NotFound when the item is gone or has another name by now.
        """

    def copy(self, item: Item, owner: str, name: str, rels: Iterable[str]) -> Item:
        """Create an item with a copy of the leaves at or below `rels`, without shares.

        Raises Conflict when the name is taken.
        """

    def discard(self, item: Item) -> None:
        """Move the item to the trash of its owner (vfs.ports.trash), or remove it if there is no trash.

        Its name is free at once.
        """

    def remove(self, item: Item) -> None:
        """Remove the item with its leaves and grants; its shortname is never used again."""

    def touch(self, item: Item) -> bool:
        """Set the item's time of change to now. Return False if it is gone."""

    def hold(self, item: Item) -> bool:
        """Lock the item against removal until the transaction ends. Return False if it is gone."""
