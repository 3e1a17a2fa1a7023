"""The port of the trash: deleted items and files, which their owner can restore for a while."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from vfs.ports.items import Item

FILE, FOLDER = "file", "folder"
"""The kinds of entries that come from the content of a space."""


class TrashEntry(NamedTuple):
    """An entry of the trash of `owner`: a deleted item, or a file or folder of a space with all it held.

    `item` is the item, or the space, which had the name `place` ("" for an item). `name` is the former name,
    or the former path in the space. `size` are the bytes that count for the quota of storage.
    """

    id: int
    owner: str
    kind: str
    item: int
    name: str
    place: str
    deleted_on: str
    size: int

    @property
    def is_item(self) -> bool:
        """Whether it is an item, and not a part of a space."""
        return self.kind not in (FILE, FOLDER)


class Trash(Protocol):
    """Reads and ends entries, and restores items. ItemStore.discard and Spaces.remove add entries.

    No look-up of items finds an item of the trash. Its shares, hooks and pending shares, its references to
    others, and what was planned for it, left the tables of those.
    """

    def of(self, owner: str) -> Sequence[TrashEntry]:
        """Return the entries of an owner, newest first."""

    def find(self, owner: str, id: int) -> TrashEntry | None:
        """Return an entry of an owner."""

    def newest(self, item: int, most: int) -> Sequence[TrashEntry]:
        """Return the newest entries that come from an item, which may be their space, at most `most`."""

    def before(self, stamp: str, most: int) -> Sequence[TrashEntry]:
        """Return at most `most` entries that were deleted before a stamp, oldest first."""

    def restore(self, entry: TrashEntry, name: str, *, ways: bool) -> Item:
        """Make an entry's item a present one again, with this name.

        With `ways` it gets back the shares whose targets still exist, and its hooks; these are lost
        otherwise. Raises Conflict when the name is taken, NotFound when the entry has ended.
        """

    def drop_files(self, owner: str) -> int:
        """End all files and folders of an owner, in one statement; return the number of entries."""

    def drop(self, entry: TrashEntry) -> bool:
        """Forget an entry, whose item is then removed by ItemStore.remove. Return False if it has ended."""
