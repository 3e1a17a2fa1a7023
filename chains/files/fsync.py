"""Writes to the disk: those that outlive a power cut, and those that tell at once what did not fit."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterable
from pathlib import Path
from typing import IO

from vfs.errors import storage_error

FEW = 16
"""Files and folders that are flushed one by one; more of them are flushed together."""

_libc = ctypes.CDLL(None, use_errno=True)


def write_durably(path: Path, content: bytes) -> None:
    """Write a small input so that it outlives a crash.

    Raises NoSpace when the disk is full, Unavailable when it fails.
    """
    try:
        with path.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise storage_error(error, "the input") from error


def settle(path: str | Path) -> None:
    """The content of a file, or the entries of a folder, have reached the disk. Raises OSError."""
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def settle_all(folder: str | Path, places: Iterable[str | Path]) -> None:
    """Files, and entries of folders, below `folder` and on its file system have reached the disk.

    Many are flushed by one call for the whole file system: what was sent in ten thousand pieces waits for the
    disk as often as what was sent in one. Raises OSError.
    """
    waiting = list(places)
    if len(waiting) <= FEW:
        for place in waiting:
            settle(place)
        return
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        flush_system(handle)
    finally:
        os.close(handle)


def flush_system(handle: int) -> None:
    """Everything on the file system of an open folder has reached the disk (syncfs(2)). Raises OSError."""
    if _libc.syncfs(handle) != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))


def write_whole(file: IO[bytes], content: bytes) -> int:
    """Write all of it to a file that has no buffer; its size. Raises OSError when the disk is full."""
    rest = memoryview(content)
    while rest:
        rest = rest[file.write(rest) :]
    return len(content)
