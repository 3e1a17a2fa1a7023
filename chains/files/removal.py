"""Removal of files of runs and builds; it waits while a backup is written."""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from chains.files.folder_lock import take_lock
from chains.files.keeper import OURSELVES, Keeper, keeper_of
from vfs.errors import Conflict, Unavailable


def remove(path: Path, keeper: Keeper = OURSELVES) -> None:
    """Remove a file or a whole folder, as the account that controls it; it may be missing."""
    try:
        with keeper.acting():
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)
    except (OSError, RecursionError):
        # Nested deeper than Python can recurse, or with a longer path than allowed: rm walks any depth.
        subprocess.run(["rm", "-rf", "--", str(path)], check=False, capture_output=True, **keeper.program)


def clear(folder: Path) -> None:
    """Remove the content of a folder. Raises OSError if something remains."""
    for entry in list(folder.iterdir()):
        remove(entry)
    if left := next(folder.iterdir(), None):
        raise OSError(errno.ENOTEMPTY, os.strerror(errno.ENOTEMPTY), str(left))


NAME = ".backup"
PAUSE_SECONDS = 0.05
PATIENCE_SECONDS = 60.0


class RemovalHold:
    """A lock of a data folder: exclusive for a backup, shared by processes that remove something.

    So files that existed at the time of the backup's snapshot remain until they are copied. The kernel
    releases the lock when its process ends.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file = folder / NAME
        self._keeper = keeper_of(folder)

    @contextmanager
    def removing(self) -> Iterator[bool]:
        """Yield whether something may be removed now; no backup begins before the block ends."""
        try:
            with self._keeper.acting():
                file = os.open(self._file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError:  # no backup was ever made here
            yield True
            return
        try:
            yield take_lock(file, fcntl.LOCK_SH)
        finally:
            _let_go(file)

    @contextmanager
    def hold(self) -> Iterator[None]:
        """Prevent removals in the block. Raises Conflict while another backup is written."""
        file = self._open()
        try:
            _acquire(file)
            yield
        finally:
            _let_go(file)

    def _open(self) -> int:
        how = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        try:
            with self._keeper.acting():
                return os.open(self._file, how, 0o600)
        except OSError as error:
            raise Unavailable(
                f"the data folder {self._folder} cannot be locked for a backup: {error.strerror}; run the "
                "command as root, or as the account of that folder"
            ) from error


def _acquire(file: int) -> None:
    """Wait until the current removals have ended, and lock the file."""
    until = time.monotonic() + PATIENCE_SECONDS
    while not take_lock(file):
        if time.monotonic() > until:
            raise Conflict("another backup of this data folder is being written; wait for its end")
        time.sleep(PAUSE_SECONDS)


def _let_go(file: int) -> None:
    """Unlock the file, even if a child process that is just being started has it open, too."""
    fcntl.flock(file, fcntl.LOCK_UN)
    os.close(file)
