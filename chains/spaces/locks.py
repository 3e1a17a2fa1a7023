"""Locks of spaces: the port of what clients of a drive hold locked, and what a lock covers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from vfs.errors import VfsError


class Locked(VfsError):
    """Something is locked by a drive, and the request does not hold the lock."""


@dataclass(frozen=True, slots=True)
class SpaceLock:
    """A lock on a path of a space; if it is `deep`, also on all below.

    Several locks that are not `exclusive` may cover the same path. `account` is who made it, `about` what
    its program says of the person, as XML.
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
    """Stores locks; `space` is the item's id, with which they are removed.

    Locks that have ended do not count.
    """

    def of(self, space: int, now: str) -> Sequence[SpaceLock]:
        """Return the locks in a space, by path; one statement."""

    def held(self, account: str, now: str) -> int:
        """Return how many locks an account has."""

    def add(self, space: int, lock: SpaceLock, now: str) -> None:
        """Add a lock, and remove those that ended before `now`; the caller holds the space."""

    def renew(self, token: str, expires_on: str) -> None:
        """Set when a lock ends."""

    def drop(self, space: int, token: str) -> None:
        """Remove a lock."""

    def drop_below(self, space: int, path: str) -> None:
        """Remove the locks of a path and of all below."""


def is_inside(path: str, folder: str) -> bool:
    """Return whether a path is below a folder ("": the top)."""
    return path != folder and (not folder or path.startswith(f"{folder}/"))
