"""The port to the room on the service's disk, which what makes it fuller asks first."""

from __future__ import annotations

from enum import StrEnum
from typing import Protocol

from vfs.errors import NoSpace

RETRY_SECONDS = 30


class DiskState(StrEnum):
    """The room on a disk: enough, little, none but what was kept for making room, hardly that."""

    AMPLE = "ample"
    LOW = "low"
    FULL = "full"
    SPENT = "spent"

    @property
    def is_full(self) -> bool:
        """Whether nothing may come that makes the disk fuller."""
        return self in (DiskState.FULL, DiskState.SPENT)


class DiskSpace(Protocol):
    """Tells the room on the disk of the service's data."""

    def room(self) -> DiskState:
        """The room that there is now."""
        ...


class UnlimitedDisk:
    """A disk that is never full (DiskRoom)."""

    def room(self) -> DiskState:
        """As DiskRoom.room."""
        return DiskState.AMPLE


def require_disk_space(disk: DiskSpace) -> None:
    """Raise NoSpace when the disk is full, for what would make it fuller."""
    if disk.room().is_full:
        raise full_disk()


def full_disk() -> NoSpace:
    """The refusal of what would make a full disk fuller."""
    return NoSpace(
        "The server's disk is full, so nothing that needs room is accepted for now: you can delete files, "
        "write small settings, and read everything; the operator of this server can make room.",
        retry_after=RETRY_SECONDS,
    )
