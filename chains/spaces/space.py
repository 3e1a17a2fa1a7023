"""Spaces: the port through which the free file tree of a space is read, changed and followed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from vfs.errors import Conflict, Invalid, NotFound, TooLarge
from vfs.ports.world import Ref

DEEPEST = 64
LONGEST_NAME = 255
# What an index of PostgreSQL holds in one key, with room to spare.
LONGEST_PATH = 2048
# Rows of its journal that a space keeps at least.
JOURNAL = 100_000


class Deed(StrEnum):
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

    `seq` grows by one a row, from 1, in the order of commits. `old_path` tells where a moved or deleted entry
    was. `digest` and `size` are those of what a file holds since then, or last held; a folder has none. The
    bytes themselves may be gone.
    """

    seq: int
    path: str
    deed: Deed
    digest: str | None
    size: int | None
    old_path: str | None
    created_on: str


@dataclass(frozen=True, slots=True)
class Usage:
    """Size of a space in bytes, and the number of its last change (0: nothing happened yet)."""

    size: int
    seq: int


class Spaces(Protocol):
    """Keeps the content of spaces; `space` is the item's id, and the content goes with the item.

    A path is as `clean` answers it, and "" is the folder of all. A parent of something that is there is a
    folder that is there. Each change is one transaction with its rows of the journal, unless the caller
    opened one; the changes of a space happen one after the other. They raise NotFound when the item is gone,
    Invalid as `clean` does, and change nothing when they raise.
    """

    def get(self, space: int, path: str) -> SpaceEntry | None:
        """The file or folder at a path; one statement, however deep it lies."""
        ...

    def inside(self, space: int, folder: str) -> Sequence[SpaceEntry]:
        """The entries of a folder, by path; one statement."""
        ...

    def below(self, space: int, folder: str) -> Sequence[SpaceEntry]:
        """All that a folder holds, its folders' content too, by path; one statement."""
        ...

    def put(self, space: int, path: str, blob: Ref) -> bool:
        """Write a file whole, and make the folders above it; True when it is new.

        Raises Conflict when the path is a folder or leads through a file, TooLarge beyond the quota.
        """
        ...

    def make(self, space: int, path: str) -> bool:
        """Make a folder and those above it; False when it is there. Raises Conflict as `put` does."""
        ...

    def move(self, space: int, old: str, new: str) -> None:
        """Give a file, or a folder with all in it, another path, and make the folders above that.

        A file takes the place of another file. Raises NotFound without the first, Conflict when a folder is
        there, a folder would take a file's place, or would get into itself.
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

        Of a long journal the oldest rows are gone: the first row's number then tells how many.
        """
        ...

    def usage(self, space: int) -> Usage:
        """The usage of the space; one statement, however much it holds."""
        ...

    @property
    def quota(self) -> int:
        """The bytes that the files of a space may hold together."""
        ...

    @property
    def kept(self) -> int:
        """The rows of its journal that a space keeps at least; it has at most a tenth more."""
        ...


def clean(path: str) -> str:
    """The path without slashes before and behind it. Raises Invalid on one that nothing may have."""
    path = path.strip("/")
    names = path.split("/") if path else []
    for name in names:
        _check(name)
    if len(names) > DEEPEST:
        raise too_deep(len(names))
    if len(path.encode()) > LONGEST_PATH:
        raise too_long()
    return path


def above(path: str) -> str:
    """The folder that a path lies in."""
    return path.rpartition("/")[0]


def laid_out(files: Mapping[str, Ref]) -> list[tuple[str, Ref | None]]:
    """The entries of files and of the folders above them, each after the one it lies in.

    Raises Conflict when a path leads through a file, Invalid on one that nothing may have.
    """
    entries: dict[str, Ref | None] = {clean(path): blob for path, blob in files.items()}
    for path in list(entries):
        while path := above(path):
            if entries.setdefault(path, None) is not None:
                raise file_there(path)
    return sorted(entries.items(), key=lambda entry: entry[0])


def too_deep(levels: int) -> Invalid:
    """The refusal of a path of so many levels."""
    return Invalid(
        f"a path in a space has at most {DEEPEST} levels and this would have {levels}: go less deep"
    )


def too_long() -> Invalid:
    """The refusal of a path of too many bytes."""
    return Invalid(f"a path in a space has at most {LONGEST_PATH} bytes as UTF-8: use shorter names")


def admit_move(source: SpaceEntry, target: SpaceEntry | None, new: str) -> None:
    """Raise Conflict unless an entry may move to a path, where `target` is."""
    if new == "" or (target is not None and target.folder):
        raise folder_there(new)
    if new.startswith(f"{source.path}/"):
        raise Conflict(f"{source.path} cannot be moved into itself; choose a path outside of it.")
    if target is not None and source.folder:
        raise file_there(new)


def absent(path: str) -> NotFound:
    """The refusal where nothing is."""
    return NotFound(f"There is no {path} in the space.")


def folder_there(path: str) -> Conflict:
    """The refusal of a file where a folder is."""
    return Conflict(f"{path or 'content'} is a folder and is never replaced; choose another path.")


def file_there(path: str) -> Conflict:
    """The refusal of a folder where a file is."""
    return Conflict(f"{path} is a file, so it cannot be a folder; remove it first or choose another path.")


def filled() -> Conflict:
    """The refusal to fill what holds something."""
    return Conflict("The space holds something already; only an empty one can be filled.")


def not_empty(path: str) -> Conflict:
    """The refusal to remove a folder with what it holds."""
    return Conflict(f"{path} is a folder that holds something; add  ?recursive=true  to remove it with all.")


def over_quota(quota: int) -> TooLarge:
    """The refusal of bytes beyond the quota."""
    return TooLarge(f"The files of a space may hold {quota} bytes together; remove some first.", limit=quota)


def _check(name: str) -> None:
    if name in ("", ".", ".."):
        raise Invalid('a path in a space is written out in full, without "//", "." and ".."')
    try:
        size = len(name.encode())
    except UnicodeEncodeError:
        raise Invalid("a name in a space is Unicode text, without halves of surrogate pairs") from None
    if size > LONGEST_NAME:
        raise Invalid(f"a name in a space has at most {LONGEST_NAME} bytes as UTF-8, this one {size}")
    if "\\" in name or any(ord(one) < 32 or ord(one) == 127 for one in name):
        raise Invalid("a name in a space holds no backslash and no control character")
