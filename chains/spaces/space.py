"""Spaces: the ports by which their file trees are read and changed, and by which runs see them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Protocol

from chains.files.run_folders import Checked, FoundFile
from chains.plan.model import Hold, MountedSpace
from chains.runs.records import Entry, Move, Run, RunHold
from chains.runs.rights import Use
from chains.runs.states import Status
from vfs.ports.blobs import Ref
from vfs.ports.trash import TrashEntry

# Minimum number of rows that a space's journal keeps.
JOURNAL = 100_000


class ChangeKind(StrEnum):
    """Kinds of changes in the journal."""

    CREATE = "create"
    UPDATE = "update"
    MOVE = "move"
    DELETE = "delete"


@dataclass(frozen=True, slots=True)
class SpaceEntry:
    """A file of a space, or a folder (without bytes); `path` is the whole path inside the space.

    `properties`: those that clients of a drive set, as JSON ("": none).
    """

    path: str
    blob: Ref | None
    created_on: str
    last_modified: str
    properties: str = ""

    @property
    def name(self) -> str:
        """The last segment of the path."""
        return self.path.rpartition("/")[2]

    @property
    def folder(self) -> bool:
        """Whether it is a folder."""
        return self.blob is None


@dataclass(frozen=True, slots=True)
class Change:
    """A row of a space's journal; one for a moved or deleted folder covers all entries in it.

    `seq` grows by one for each row, from the one after `Usage.start`, in the order of commits. `old_path` is
    the previous path of a moved or deleted entry. `digest` and `size` are those of a file after the change,
    or before its deletion; a folder has none. The bytes themselves may be gone.
    """

    seq: int
    path: str
    kind: ChangeKind
    digest: str | None
    size: int | None
    old_path: str | None
    created_on: str


@dataclass(frozen=True, slots=True)
class Usage:
    """The size of a space in bytes, and the number of its last change (`start`: no change yet).

    `start` is 0 for a name that no space had before, and else higher than all numbers of those spaces.
    """

    size: int
    seq: int
    start: int = 0


class Spaces(Protocol):
    """The store of spaces' content. `space` is the id of an item; its content is removed with it.

    Paths are as `paths.clean` returns them; "" is the root folder. The parent of an entry is an existing
    folder. Each change is one transaction with its rows of the journal, unless the caller opened one; changes
    of a space are serialised. They raise NotFound when the item is gone, Invalid as `paths.clean` does, and
    change nothing if they raise.
    """

    def get(self, space: int, path: str) -> SpaceEntry | None:
        """Return the file or folder at a path; one statement at any depth."""

    def inside(self, space: int, folder: str) -> Sequence[SpaceEntry]:
        """Return the entries of a folder, by path; one statement."""

    def below(self, space: int, folder: str) -> Sequence[SpaceEntry]:
        """Return all entries below a folder, by path; one statement."""

    def put(self, space: int, path: str, blob: Ref) -> bool:
        """Write a whole file, and make its parent folders; return whether it is new.

        Raises Conflict when the path is a folder or leads through a file, TooLarge beyond the quota.
        """

    def make(self, space: int, path: str) -> bool:
        """Make a folder and its parents; return False when it exists. Raises Conflict as `put` does."""

    def move(self, space: int, old: str, new: str, *, replace: bool = False) -> None:
        """Move a file, or a folder with its content, to another path, and make its parent folders.

        With `replace` a file replaces another file. Raises NotFound without a source, Conflict when something
        else is at the path, or if a folder would be moved into itself.
        """

    def remove(self, space: int, path: str, *, recursive: bool = False, keep: bool = False) -> None:
        """Remove a file, or a folder; one that is not empty only if `recursive`, else raise Conflict.

        The root is emptied. With `keep`, the removed files become one entry of the trash (vfs.ports.trash).
        Takes few statements. Raises NotFound.
        """

    def restore(self, entry: TrashEntry, path: str) -> None:
        """Move an entry of the trash back into its space, to a path; the content of the root, below a path.

        Raises NotFound if the entry has ended, Conflict if something is there, TooLarge as `put`.
        """

    def fill(self, space: int, files: Mapping[str, Ref]) -> None:
        """Write files and their folders into an empty space, in few statements.

        Raises Conflict when the space is not empty or a path leads through a file, TooLarge beyond the quota.
        """

    def copy(self, source: int, target: int) -> None:
        """Copy the content of a space to an empty one, in few statements. Raises as `fill`."""

    def copy_tree(self, source: int, path: str, target: int, to: str, *, deep: bool = True) -> None:
        """Copy a file, or a folder (if `deep` with all in it), to a free path of the same or another space.

        Few statements. Raises NotFound without a source, Conflict when something is there, or if a folder
        would be copied into itself, TooLarge as `put`.
        """

    def describe(self, space: int, path: str, properties: str) -> None:
        """Set the properties of an entry."""

    def changes(self, space: int, since: int, limit: int) -> Sequence[Change]:
        """Return at most `limit` rows of the journal after the number `since`, oldest first.

        The oldest rows of a long journal are deleted: the number of the first row shows how many. A later
        space with the same name never uses a number again.
        """

    def usage(self, space: int) -> Usage:
        """Return the usage of the space; one statement for any size."""

    @property
    def quota(self) -> int:
        """The maximum total size of the files of a space, in bytes."""

    @property
    def kept(self) -> int:
        """The minimum number of rows that a space's journal keeps. It has at most a tenth more."""


Snapshot = Mapping[str, str]
"""The files of an exported copy: digests by path."""


@dataclass(frozen=True, slots=True)
class Changed:
    """A space's copy after a step of a run, its files when the step began, and the permission to write it."""

    run: int
    space: int
    use: Use
    files: Checked
    snapshot: Snapshot


class Mounting(Protocol):
    """The copies of spaces for steps."""

    def spaces(self, run: Run) -> Sequence[MountedSpace]:
        """Return the spaces that the job of a run, or of a child run, mounts, for plans without them.

        Raises Denied if the owner or the author of the job may not use one of them.
        """

    def room(self, space: int) -> int:
        """Return the number of bytes that may be added to a space."""

    def export(self, space: int, target: Path) -> Snapshot:
        """Write a copy of a space's files into an existing folder."""

    def write_back(self, changes: Iterable[Changed]) -> None:
        """Write the differences to the snapshots into the spaces, whole files in one transaction.

        Raises Denied, without writing, when one of the uses is no longer allowed (decisions 23b).
        """


class HoldFiles(Protocol):
    """The store of the files of runs at a hold, where people see and change them."""

    def keep(
        self, run: Run, hold: Hold, files: Iterable[FoundFile], moves: Sequence[Move], lines: Sequence[Entry]
    ) -> Status:
        """Store the files and turn the run with RunStates.hold in one transaction; return its new status.

        The last log line shows whether the run waits, or was canceled before.
        """

    def fetch(self, hold: RunHold, target: Path) -> None:
        """Write the files with which a hold was continued into a folder. Raises NotFound without them."""
