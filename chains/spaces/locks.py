"""Locks of spaces: the port of the locks of drive clients, and the paths that a lock covers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from vfs.errors import VfsError


class Locked(VfsError):
    """A drive has locked a path, and the request does not hold the lock."""


@dataclass(frozen=True, slots=True)
class SpaceLock:
    """A lock on a path of a space; if it is `deep`, also on all paths below.

    Several locks that are not `exclusive` may cover the same path. `account` made it. `about` describes its
    owner: XML from the account's program.
    """

    token: str
    path: str
    deep: bool
    exclusive: bool
    account: str
    about: str
    expires_on: str

    def covers(self, path: str) -> bool:
        """Return whether it locks a path."""
        return self.path == path or (self.deep and is_inside(path, self.path))


class SpaceLocks(Protocol):
    """The store of locks. `space` is the id of an item; its locks are removed with it.

    Locks that have ended do not count.
    """

    def of(self, space: int, now: str) -> Sequence[SpaceLock]:
        """Return the locks in a space, by path; one statement."""

    def held(self, account: str, now: str) -> int:
        """Return how many locks an account has."""

    def add(self, space: int, lock: SpaceLock, now: str) -> None:
        """Add a lock, and remove those that ended before `now`. The caller has locked the space."""

    def renew(self, token: str, expires_on: str) -> None:
        """Set the end of a lock, a stamp."""

    def drop(self, space: int, token: str) -> None:
        """Remove a lock."""

    def drop_below(self, space: int, path: str) -> None:
        """Remove the locks of a path and of all paths below."""


def is_inside(path: str, folder: str) -> bool:
    """Return whether a path is below a folder ("": the top)."""
    return path != folder and (not folder or path.startswith(f"{folder}/"))
