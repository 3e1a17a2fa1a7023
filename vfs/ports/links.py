"""The port of links: keys by which people without an account read one item."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from vfs.ports.items import Item

LINK_FIELDS = frozenset({"expires_on", "password", "pinned", "uses"})
"""The fields of a link that its owner changes; None: no limit, no password, no snapshot."""


@dataclass(frozen=True, slots=True)
class ItemLink:
    """A link to an item. `digest` is that of its key, `password` is the hash of one.

    `pinned` is the snapshot that it shows, "" if that was removed. It ends at `expires_on`, or when `used`,
    the number of its uses until now, is `uses`.
    """

    digest: str
    name: str
    created_on: str
    expires_on: str | None = None
    password: str | None = None
    uses: int | None = None
    pinned: str | None = None
    used: int = 0
    last_use: str | None = None

    def is_over(self, now: str) -> bool:
        """Return whether its time is over."""
        return self.expires_on is not None and self.expires_on <= now

    def is_used_up(self) -> bool:
        """Return whether no uses are left."""
        return self.uses is not None and self.used >= self.uses


class ItemLinks(Protocol):
    """The store of links. They are removed with their item."""

    def add(self, item: int, link: ItemLink) -> bool:
        """Add a link. Return False if the item has one of that name. Raises NotFound without the item."""

    def of(self, item: int) -> Sequence[ItemLink]:
        """Return the links of an item, by name."""

    def find(self, digest: str) -> tuple[Item, ItemLink] | None:
        """Return the link with that digest, and its item."""

    def everyone(self) -> Sequence[tuple[Item, ItemLink]]:
        """Return all links with their items, by owner, kind and name."""

    def change(self, digest: str, field: str, value: str | int | None) -> None:
        """Set one of LINK_FIELDS."""

    def unpin(self, item: int, snapshot: str) -> None:
        """Make links to a removed snapshot show nothing, not even a later one with its name."""

    def drop(self, item: int, name: str) -> bool:
        """End a link. Return False if there is none."""

    def use(self, digest: str, now: str) -> bool:
        """Count a use. Return False, and count nothing, if the link has ended or has no uses left."""
