"""Folders that only their owner may enter, and in which one process of each kind works."""

from __future__ import annotations

import contextlib
import fcntl
import logging
import os
import stat
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from vfs.errors import Unavailable


def make_folder(path: str | Path) -> None:
    """Make a folder for its owner only, and its parents. It may exist already. Raises OSError."""
    with contextlib.suppress(FileExistsError):
        try:
            os.mkdir(path, 0o700)
        except FileNotFoundError:
            make_folder(os.path.dirname(path))
            os.mkdir(path, 0o700)


PAUSE_SECONDS = 0.1
RUNNER = "runner"

_log = logging.getLogger(__name__)


@contextmanager
def hold_lock(folder: Path, stop: threading.Event, kind: str = RUNNER) -> Iterator[bool]:
    """Lock the folder, waiting for another process; return False if `stop` is set before.

    The kernel releases the lock when the process ends. Raises Unavailable when locking fails.
    """
    file = _open(folder, kind)
    try:
        waiting = False
        while not (mine := take_lock(file)) and not stop.is_set():
            if not waiting:
                _log.warning("another %s works in %s; this one waits for its end", kind, folder)
            waiting = True
            stop.wait(PAUSE_SECONDS)
        yield mine and not stop.is_set()
    finally:
        os.close(file)


@contextmanager
def try_lock(folder: Path, kind: str = RUNNER) -> Iterator[bool]:
    """Lock the folder if it is free; return whether it was. Raises Unavailable when locking fails."""
    file = _open(folder, kind)
    try:
        yield take_lock(file)
    finally:
        os.close(file)


def lock_file(folder: Path, kind: str = RUNNER) -> Path:
    """Return the lock file of one kind of process in a folder."""
    return folder / f".{kind}"


def _open(folder: Path, kind: str) -> int:
    """Open the lock file, which must belong to this account and not be a link chosen by another one."""
    path = lock_file(folder, kind)
    how = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        file = os.open(path, how, 0o600)
    except OSError as error:
        raise Unavailable(f"the {kind}'s lock {path} cannot be opened: {error.strerror}") from error
    found = os.fstat(file)
    if not stat.S_ISREG(found.st_mode) or found.st_uid != os.geteuid() or found.st_nlink != 1:
        os.close(file)
        raise Unavailable(f"the {kind}'s lock {path} is not a file of this account: remove it")
    return file


def take_lock(file: int, how: int = fcntl.LOCK_EX) -> bool:
    """Lock an open file without waiting; return whether it could be locked."""
    try:
        fcntl.flock(file, how | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
