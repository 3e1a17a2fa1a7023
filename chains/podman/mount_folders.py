"""The size and the owner of folders mounted in a container.

Names and links are never trusted.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path

from chains.engine.port import EngineError
from chains.files.names import DEEPEST, deep, printable

LEVELS = DEEPEST + 1
"""Levels that are walked: those of a path, and one more, since a step's label may precede the path."""

ENTRY = 512
"""The bytes that every entry counts at least, so that a million empty files are not free."""

FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC

Entry = tuple[int, str, os.stat_result]
"""An open folder, a name in it, and the lstat result of that name."""


class TooDeep(EngineError):
    """An entry, at the relative `path`, is deeper than any file may be."""

    def __init__(self, path: str) -> None:
        super().__init__(f"{printable(path)} is too deep: {deep(path.count('/') + 1)}")
        self.path = path


@dataclass(frozen=True, slots=True)
class _Level:
    """An open folder on the way down, and its remaining entries."""

    name: str
    folder: int
    entries: Iterator[os.DirEntry[str]]
    opened: ExitStack


def measure(folder: Path, enough: int) -> int:
    """Return the bytes under `folder` (as read, holes included). Stop counting beyond `enough`.

    Raises TooDeep.
    """
    total = 0
    for _, _, found in _walk(folder):
        total += ENTRY + (max(found.st_size, found.st_blocks * 512) if stat.S_ISREG(found.st_mode) else 0)
        if total > enough:
            break
    return total


def give(folder: Path, owner: int, *, writable: bool) -> None:
    """Let the user `owner` read everything under `folder`, and write if `writable`. Skip links.

    Raises TooDeep.
    """
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
    """Yield every entry under `folder`. Raises TooDeep beyond `LEVELS`.

    Uses descriptors of open folders, so that no name can lead outside while a step still writes.
    """
    levels = [_enter("", os.open(folder, FOLDER))]
    try:
        while levels:
            here = levels[-1]
            entry = next(here.entries, None)
            if entry is None:
                levels.pop().opened.close()
                continue
            with suppress(FileNotFoundError):
                found = entry.stat(follow_symlinks=False)
                if len(levels) > LEVELS:
                    raise TooDeep("/".join([*(level.name for level in levels[1:]), entry.name]))
                yield here.folder, entry.name, found
                if stat.S_ISDIR(found.st_mode):
                    with suppress(OSError):
                        levels.append(_enter(entry.name, os.open(entry.name, FOLDER, dir_fd=here.folder)))
    finally:
        for level in levels:
            level.opened.close()


def _enter(name: str, folder: int) -> _Level:
    """Return the level of an open folder, which is closed with the level."""
    with ExitStack() as opened:
        opened.callback(os.close, folder)
        entries = opened.enter_context(os.scandir(folder))
        return _Level(name, folder, entries, opened.pop_all())
