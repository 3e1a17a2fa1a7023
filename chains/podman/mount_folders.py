"""Folders that a container is shown: their size and their owner; names and links are never trusted."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

DEEPEST = 128
"""Levels of folders that are looked at;
deeper than that is nobody's result and counts as more than any limit.
"""

ENTRY = 512
"""Bytes that any entry counts for, so that a million empty files are not for free."""

FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC

Entry = tuple[int, str, os.stat_result]
"""An open folder, a name in it, and what lstat says of that."""


def measure(folder: Path, enough: int) -> int:
    """Bytes under `folder` (what a reader would get, holes included); stops counting beyond `enough`."""
    total = 0
    try:
        for _, _, found in _walk(folder):
            total += ENTRY + (max(found.st_size, found.st_blocks * 512) if stat.S_ISREG(found.st_mode) else 0)
            if total > enough:
                break
    except RecursionError:
        return enough + 1
    return total


def give(folder: Path, owner: int, *, writable: bool) -> None:
    """Let the user `owner` read everything under `folder`, and change it when `writable`; links stay."""
    top = folder.stat()
    if _needs(top, owner, writable):
        os.chown(folder, owner, owner)
    for parent, name, found in _walk(folder):
        if not stat.S_ISLNK(found.st_mode) and _needs(found, owner, writable):
            os.chown(name, owner, owner, dir_fd=parent, follow_symlinks=False)


def _needs(found: os.stat_result, owner: int, writable: bool) -> bool:
    wanted = 0o5 if stat.S_ISDIR(found.st_mode) else 0o4
    return found.st_uid != owner and (writable or found.st_mode & wanted != wanted)


def _walk(folder: Path) -> Iterator[Entry]:
    """Every entry under `folder`. Raises RecursionError beyond `DEEPEST` levels.

    Walks through open folders, so that no name can lead outside while a step still writes.
    """
    yield from _descend(os.open(folder, FOLDER), DEEPEST)


def _descend(here: int, levels: int) -> Iterator[Entry]:
    """The entries of the open folder `here`, which is closed, and of those in it."""
    try:
        if levels == 0:
            raise RecursionError
        with os.scandir(here) as entries:
            for entry in entries:
                try:
                    found = entry.stat(follow_symlinks=False)
                except FileNotFoundError:
                    continue
                yield here, entry.name, found
                if stat.S_ISDIR(found.st_mode):
                    with suppress(OSError):
                        yield from _descend(os.open(entry.name, FOLDER, dir_fd=here), levels - 1)
    finally:
        os.close(here)
