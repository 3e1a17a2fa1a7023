"""Writes to disk that survive a power cut, or report at once when the disk is full."""

from __future__ import annotations

import ctypes
import os
import secrets
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import IO

from vfs.errors import storage_error

FEW = 16
"""Maximum number of files and folders that are synced one by one; more are synced together."""

_libc = ctypes.CDLL(None, use_errno=True)


def write_durably(path: Path, content: bytes) -> None:
    """Write a small input so that it survives a crash.

    Raises NoSpace when the disk is full, Unavailable when writing fails.
    """
    try:
        with path.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise storage_error(error, "the input") from error


def place_file(path: Path, content: bytes, *, mode: int = 0o600, replaces: bool = True) -> None:
    """Write a file that appears whole, and is durable on return. Raises OSError.

    A file that exists stays as it is unless this one `replaces` it.
    """
    draft = path.with_name(f".{path.name}-{secrets.token_hex(8)}")
    how = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        with os.fdopen(os.open(draft, how, mode), "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if replaces:
            draft.rename(path)
        else:
            with suppress(FileExistsError):
                os.link(draft, path)
        settle(path.parent)
    finally:
        draft.unlink(missing_ok=True)


def settle(path: str | Path) -> None:
    """Sync the content of a file, or the entries of a folder. Raises OSError."""
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def settle_all(folder: str | Path, places: Iterable[str | Path]) -> None:
    """Sync the files and folders below `folder` on its file system.

    Many are synced with one call for the whole file system, so that ten thousand files wait for the disk only
    once. Raises OSError.
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
    """Sync the whole file system of an open folder (syncfs(2)). Raises OSError."""
    if _libc.syncfs(handle) != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))


def write_whole(file: IO[bytes], content: bytes) -> int:
    """Write all bytes to an unbuffered file; return their number. Raises OSError when the disk is full."""
    rest = memoryview(content)
    while rest:
        rest = rest[file.write(rest) :]
    return len(content)
