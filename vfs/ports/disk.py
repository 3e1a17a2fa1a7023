"""The port of the free space on the service's disk, which is checked before data is added."""

from __future__ import annotations

from enum import StrEnum
from typing import Protocol

from vfs.errors import NoSpace

RETRY_SECONDS = 30


class DiskState(StrEnum):
    """The free space on a disk: enough, little, only the reserve for deleting files, or almost none."""

    AMPLE = "ample"
    LOW = "low"
    FULL = "full"
    SPENT = "spent"

    @property
    def is_full(self) -> bool:
        """Whether nothing may be added to the disk."""
        return self in (DiskState.FULL, DiskState.SPENT)


class DiskSpace(Protocol):
    """The free space on the disk of the service's data."""

    def room(self) -> DiskState:
        """Return the current state."""


class UnlimitedDisk:
    """A disk that is never full (DiskSpace)."""

    def room(self) -> DiskState:
        """Return AMPLE."""
        return DiskState.AMPLE


def require_disk_space(disk: DiskSpace) -> None:
    """Raise NoSpace when the disk is full. For operations that add data."""
    if disk.room().is_full:
        raise full_disk()


def full_disk() -> NoSpace:
    """Return the refusal of an operation that would add data to a full disk."""
    return NoSpace(
        "The server's disk is full, so nothing that needs space is accepted for now: you can delete files, "
        "write small settings, and read everything; the operator of this server can free space.",
        retry_after=RETRY_SECONDS,
    )
