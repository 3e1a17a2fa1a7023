"""The reserve: a file that occupies disk space until the disk is full, so that deletes then work."""

from __future__ import annotations

import logging
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from chains.files.folder_lock import take_lock
from chains.files.keeper import keeper_of
from vfs.ports.disk import DiskState

NAME = "reserve"
SHARE = 8
"""The reserve occupies at most 1/SHARE of the disk."""

LOW_SHARE = 10
MOST_LOW = 5 << 30
"""Room is low when less than a tenth of the disk is free; on a large disk, less than 5 GiB."""

LEAST = 1 << 20

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Space:
    """Bytes of a disk: in total, free for ordinary users, and in the reserve (None: it was never made)."""

    total: int
    free: int
    held: int | None


class Reserve:
    """The reserve of `size` bytes in a folder (vfs.ports.disk.DiskRoom), for any number of processes.

    The file is emptied when the free space falls below an eighth of `size`, and filled again when more than
    1.5 times `size` is free. Only `make`, for long-running processes, creates the file.
    """

    def __init__(self, folder: Path, size: int) -> None:
        self._folder = folder
        self._file = folder / NAME
        self._size = size
        self._keeper = keeper_of(folder)

    def make(self) -> None:
        """Create the reserve if it does not exist and there is room for it."""
        space = self.look()
        if space.held is None and self._size_on(space):
            self._take(self._size_on(space))

    def room(self) -> DiskState:
        """Return the state of the disk, after emptying or filling the reserve when that is due."""
        try:
            space = self.look()
        except OSError:  # without its folder nothing works; other checks report that
            return DiskState.AMPLE
        wanted = self._size_on(space)
        least = max(wanted // 8, LEAST)
        if space.held and space.free < least:
            _log.warning("the disk of %s is full: the reserve is given up", self._folder)
            self._give_up()
            space = self.look()
        elif space.held == 0 and space.free >= wanted + wanted // 2 + least and self._take(wanted):
            _log.warning("the disk of %s has room again: the reserve is taken", self._folder)
            space = self.look()
        if space.held == 0:
            return DiskState.FULL if space.free >= max(wanted // 4, LEAST) else DiskState.SPENT
        if space.held is None and space.free < least:
            return DiskState.SPENT
        low = max(min(space.total // LOW_SHARE, MOST_LOW), 2 * wanted)
        return DiskState.LOW if space.free < low else DiskState.AMPLE

    def flaw(self) -> str | None:
        """Return the system's message why the disk cannot be written; None when it can."""
        try:
            os.utime(self._folder)
        except OSError as error:
            return error.strerror
        return None

    def look(self) -> Space:
        """Return the current bytes of the disk."""
        disk = os.statvfs(self._folder)
        held: int | None = None
        with suppress(OSError):
            found = os.lstat(self._file)
            held = found.st_size if stat.S_ISREG(found.st_mode) else None
        return Space(disk.f_blocks * disk.f_frsize, disk.f_bavail * disk.f_frsize, held)

    def _size_on(self, space: Space) -> int:
        return min(self._size, space.total // SHARE)

    def _take(self, size: int) -> bool:
        """Allocate the file. Return False if there is no room or another process has locked it."""
        with self._open(os.O_CREAT) as file:
            if file is None or os.fstat(file).st_size:
                return False
            try:
                os.posix_fallocate(file, 0, size)
            except OSError:
                os.ftruncate(file, 0)
                return False
        return True

    def _give_up(self) -> None:
        with self._open() as file:
            if file is not None:
                os.ftruncate(file, 0)

    @contextmanager
    def _open(self, more: int = 0) -> Iterator[int | None]:
        """Open and lock the file; yield None when it cannot be opened or another process has locked it."""
        how = os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | more
        file: int | None = None
        with suppress(OSError), self._keeper.acting():
            file = os.open(self._file, how, 0o600)
        try:
            yield file if file is not None and _is_ours(file) else None
        finally:
            if file is not None:
                os.close(file)


def _is_ours(file: int) -> bool:
    """Lock a regular file; return whether this process has the lock."""
    if not stat.S_ISREG(os.fstat(file).st_mode):
        return False
    with suppress(OSError):
        return take_lock(file)
    return False
