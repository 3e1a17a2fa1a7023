"""Writes that outlive a power cut."""

from __future__ import annotations

import os
from pathlib import Path

from vfs.errors import storage_error


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
