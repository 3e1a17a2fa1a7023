"""Copies a folder out of another account's hands, so that nothing of the copy is that account's any more."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

from chains.files.keeper import Keeper
from chains.files.names import DEEPEST

PIECE = 1 << 20
OPEN = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
MAKE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def carry(source: Path, target: Path, keeper: Keeper, largest: int) -> None:
    """Copy the folders and regular files below `source` that its keeper may read to a new `target`.

    Links and all else are left behind.
    Raises FileNotFoundError when there is no such folder, OSError (EFBIG) beyond `largest` bytes.
    """
    here = _open(source, None, keeper)
    _carry(here, target, keeper, [largest], DEEPEST)


def _carry(here: int, target: Path, keeper: Keeper, left: list[int], levels: int) -> None:
    """Copy what is in the open folder `here`, which is closed; `left` holds the bytes that may still come."""
    try:
        target.mkdir()
        for name in os.listdir(here) if levels else ():
            try:
                entry = _open(name, here, keeper)
            except OSError:
                continue
            if stat.S_ISDIR(os.fstat(entry).st_mode):
                _carry(entry, target / name, keeper, left, levels - 1)
            else:
                _copy(entry, target / name, left)
    finally:
        os.close(here)


def _copy(entry: int, target: Path, left: list[int]) -> None:
    """Copy an open file as long as it is now, and close it."""
    with os.fdopen(entry, "rb", buffering=0) as source:
        found = os.fstat(entry)
        if not stat.S_ISREG(found.st_mode):
            return
        left[0] -= found.st_size
        if left[0] < 0:
            raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
        rest = found.st_size
        with os.fdopen(os.open(target, MAKE, 0o644), "wb", buffering=0) as file:
            while rest and (piece := source.read(min(PIECE, rest))):
                rest -= file.write(piece)


def _open(name: str | Path, folder: int | None, keeper: Keeper) -> int:
    with keeper.acting():
        return os.open(name, OPEN if folder is not None else OPEN | os.O_DIRECTORY, dir_fd=folder)
