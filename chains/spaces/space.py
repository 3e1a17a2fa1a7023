"""Spaces: the port through which the free file tree of a space is read, changed and followed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from vfs.ports.blobs import Ref

# Rows of its journal that a space keeps at least.
JOURNAL = 100_000


class ChangeKind(StrEnum):
    """Kinds of changes in the journal."""

    CREATE = "create"
    UPDATE = "update"
    MOVE = "move"
    DELETE = "delete"


@dataclass(frozen=True, slots=True)
class SpaceEntry:
    """A file of a space, or a folder (it has no bytes); `path` is the whole path inside the space."""

    path: str
    blob: Ref | None
    created_on: str
    last_modified: str

    @property
    def name(self) -> str:
        """The last segment of the path."""
        return self.path.rpartition("/")[2]

    @property
    def folder(self) -> bool:
        """Whether it may hold others."""
        return self.blob is None


@dataclass(frozen=True, slots=True)
class Change:
    """A row of a space's journal. One of a folder that was moved or deleted speaks for all that is in it.

    `seq` grows by one a row, from the one after `Usage.start`, in the order of commits. `old_path` tells
    where a moved or deleted entry was. `digest` and `size` are those of what a file holds since then, or last
    held; a folder has none. The bytes themselves may be gone.
    """

    seq: int
    path: str
    deed: ChangeKind
    digest: str | None
    size: int | None
    old_path: str | None
    created_on: str


@dataclass(frozen=True, slots=True)
class Usage:
    """Size of a space in bytes, and the number of its last change (`start`: nothing happened yet).

    `start` is 0 under a name that no space had before, and else past all numbers that those gave out.
    """

    size: int
    seq: int
    start: int = 0


class Spaces(Protocol):
    """Keeps the content of spaces; `space` is the item's id, and the content goes with the item.

    A path is as `paths.clean` answers it, and "" is the folder of all. A parent of something that is there is
    a folder that is there. Each change is one transaction with its rows of the journal, unless the caller
    opened one; the changes of a space happen one after the other. They raise NotFound when the item is gone,
    Invalid as `paths.clean` does, and change nothing when they raise.
    """

    def get(self, space: int, path: str) -> SpaceEntry | None:
        """Return the file or folder at a path; one statement, however deep it lies."""
        ...

    def inside(self, space: int, folder: str) -> Sequence[SpaceEntry]:
        """Return the entries of a folder, by path; one statement."""
        ...

    def below(self, space: int, folder: str) -> Sequence[SpaceEntry]:
        """Return all that a folder holds, its folders' content too, by path; one statement."""
        ...

    def put(self, space: int, path: str, blob: Ref) -> bool:
        """Write a file whole, and make the folders above it; True when it is new.

        Raises Conflict when the path is a folder or leads through a file, TooLarge beyond the quota.
        """
        ...

    def make(self, space: int, path: str) -> bool:
        """Make a folder and those above it; False when it is there. Raises Conflict as `put` does."""
        ...

    def move(self, space: int, old: str, new: str, *, replace: bool = False) -> None:
        """Give a file, or a folder with all in it, another path, and make the folders above that.

        With `replace` a file takes the place of another file. Raises NotFound without the first, Conflict
        when something else is there, or a folder would get into itself.
        """
        ...

    def remove(self, space: int, path: str, *, recursive: bool = False) -> None:
        """Remove a file, or a folder: one that holds something only when `recursive`, else it is a Conflict.

        Raises NotFound.
        """
        ...

    def fill(self, space: int, files: Mapping[str, Ref]) -> None:
        """Write files into a space that holds nothing, with the folders above them, in few statements.

        Raises Conflict when the space holds something or a path leads through a file, TooLarge beyond the
        quota.
        """
        ...

    def copy(self, source: int, target: int) -> None:
        """Give a space that holds nothing all that another one holds, in few statements. Raises as `fill`."""
        ...

    def changes(self, space: int, since: int, limit: int) -> Sequence[Change]:
        """At most `limit` rows of the journal after the number `since`, oldest first.

        Of a long journal the oldest rows are gone: the first row's number then tells how many. A number that
        a space gave out is never given out again by one that has its name later, or gets it.
        """
        ...

    def usage(self, space: int) -> Usage:
        """Return the usage of the space; one statement, however much it holds."""
        ...

    @property
    def quota(self) -> int:
        """The bytes that the files of a space may hold together."""
        ...

    @property
    def kept(self) -> int:
        """The rows of its journal that a space keeps at least; it has at most a tenth more."""
        ...
