"""The port that keeps items, looked up by kind, owner and name."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple, Protocol

from vfs.access import EffectiveGrant
from vfs.ports.leaves import Leaf


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
    """An item with the grants that are effective for the caller who asked (none are needed for the owner).

    `ahead`: the path of the leaf that was looked up along with it. `leaf`: what is there.
    """

    item: Item
    effective_grants: tuple[EffectiveGrant, ...] = ()
    ahead: str | None = None
    leaf: Leaf | None = None


class ItemName(NamedTuple):
    """The name of an item in a text: the letter of its kind, owner ("": whose the text is) and name.

    By its shortname it has neither letter nor owner.
    """

    letter: str
    owner: str
    name: str


class ItemStore(Protocol):
    """Keeps items. `caller` is a user's name, or None for the public."""

    def find(
        self, kind: str, owner: str, name: str, caller: str | None, ahead: str | None = None
    ) -> Found | None:
        """The item with what its grants confer on `caller` now; None when there is no such item.

        The leaf at `ahead` comes along when one is named (one statement). An item that exists but reaches
        nothing to the caller comes back with no reaches: the kernel makes it absent.
        """
        ...

    def at(self, id: int, caller: str | None) -> Found | None:
        """The item by id, with every grant that is effective for `caller` now."""
        ...

    def all_at(self, ids: Collection[int], caller: str | None) -> Mapping[int, Found]:
        """The same for several ids at once, of those that are there; one statement for each 500."""
        ...

    def all_named(
        self, kind: str, names: Collection[tuple[str, str]], shortnames: Collection[str], caller: str | None
    ) -> Sequence[Found]:
        """The items of a kind with these owners and names, or with these shortnames, by id; one statement.

        Each has every grant that is effective for `caller` now.
        """
        ...

    def by_shortname(self, shortname: str, caller: str | None) -> Found | None:
        """The item by shortname, as `find` gives it."""
        ...

    def visible(self, kind: str, owner: str | None, caller: str | None) -> Sequence[Found]:
        """Items of a kind that the caller owns or is reached by, by owner and name; one statement.

        Those of one owner or (None) of all.
        """
        ...

    def stamps_of(self, kind: str, owner: str) -> Sequence[tuple[str, str, str]]:
        """Name, created_on and last_modified of items of a kind that a user owns, by name; one statement."""
        ...

    def near(self, kind: str, owner: str, name: str, most: int) -> Sequence[str]:
        """Names of a user's items on either side of a name in their order, `most` each; one statement."""
        ...

    def through(self, kind: str, groups: Sequence[str], caller: str | None) -> Sequence[Found]:
        """Items that members of these groups share with one of them, with all that the caller has of each.

        They are in the order of owner and name; one statement.
        """
        ...

    def create(self, kind: str, owner: str, name: str) -> Item:
        """A new item with a fresh shortname. Raises Conflict when the name is taken."""
        ...

    def rename(self, item: Item, name: str) -> Item:
        """The item under another name.

        Raises Conflict when the name is taken, NotFound when the item is gone or bears another name by now.
        """
        ...

    def copy(self, item: Item, owner: str, name: str, rels: Iterable[str]) -> Item:
        """A new item holding the leaves at or below `rels`, without shares.

        Raises Conflict when the name is taken.
        """
        ...

    def remove(self, item: Item) -> None:
        """Take the item away with its leaves and grants; its shortname is never used again."""
        ...

    def touch(self, item: Item) -> bool:
        """Stamp the item as modified now; False when it is gone."""
        ...

    def hold(self, item: Item) -> bool:
        """Keep the item, as it is, from being removed before the transaction ends; False when it is gone."""
        ...
