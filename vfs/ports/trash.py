"""The port of the trash: deleted items and files, which their owner can restore for a while."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from vfs.ports.items import Item

FILE, FOLDER = "file", "folder"
"""The kinds of entries that were content of a space."""


class TrashEntry(NamedTuple):
    """An entry of the trash of `owner`: a deleted item, or a file or folder of a space with its content.

    `item` is the item, or the space, which had the name `place` ("" for an item). `name` is the former name,
    or the former path in the space. `size` is the number of bytes that count for the quota of storage.
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
    """The entries of the trash. ItemStore.discard and Spaces.remove add entries.

    No look-up of items finds an item of the trash. Its shares, hooks and pending shares, its references to
    others, and its planned times were removed from the tables of those.
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
        """Restore an entry's item, with this name.

        With `ways`, the shares whose targets still exist and its hooks are restored; otherwise they are
        lost. Raises Conflict when the name is taken, NotFound when the entry has ended.
        """

    def drop_files(self, owner: str) -> int:
        """Remove all files and folders of an owner, in one statement. Return the number of entries."""

    def drop(self, entry: TrashEntry) -> bool:
        """Remove an entry, before ItemStore.remove removes its item. Return False if it has ended."""
