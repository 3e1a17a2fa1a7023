"""The size and the owner of folders mounted in a container, and the limits for their use.

Names and links are never trusted.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path

from chains.engine.port import MOUNT_SLACK, Cause, EngineError, Limits, Mount
from chains.files.names import DEEPEST, deep, printable

LEVELS = DEEPEST + 1
"""Levels that are walked: those of a path, and one more, since a step's label may precede the path."""

ENTRY = 512
"""The minimum number of bytes that an entry counts, so that a million empty files are not free."""

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


MEASURED_EVERY = 1.0
WORK_TO_REST = 4
"""Seconds of pause per second of measuring, so that a million files are measured less often."""

WHOLE = 1 << 62
OUTPUT = "/output"


@dataclass(frozen=True, slots=True)
class Excess:
    """The exceeded limit. `place` is the path in the container that is too large or too deep."""

    cause: Cause
    place: str = ""


class LimitCheck:
    """The `limits` of a container that writes into the folder `output` and into `mounts`.

    Create it before the container's code runs: a mount's limit is its size at that time plus its `growth`.
    """

    def __init__(self, limits: Limits, output: Path, mounts: Iterable[Mount] = ()) -> None:
        self._limits = limits
        self._output = output
        self._mounts = [
            (mount, measure(mount.source, WHOLE) + mount.growth + MOUNT_SLACK)
            for mount in mounts
            if mount.writable and mount.growth is not None
        ]
        self._due = time.monotonic() + MEASURED_EVERY

    def find_excess(self, started: float) -> Excess | None:
        """Return the exceeded limit, or None; measure rarely. `started` is 0 before the command runs."""
        limits, now = self._limits, time.monotonic()
        if now >= self._due:
            excess = self._find_full()
            took = time.monotonic() - now
            self._due = now + took + max(MEASURED_EVERY, WORK_TO_REST * took)
            if excess is not None:
                return excess
        return Excess(Cause.TIME) if started and now - started >= limits.seconds else None

    def find_spent(self, *, failed: bool) -> Excess | None:
        """Return the folder in which an ended container exceeded its limit of size or depth.

        With `failed`, an /output that is exactly full counts, too: a program that ignores SIGXFSZ may end
        with any code when a file has reached the maximum size. Depth is not the cause of such a failure.
        """
        limit = self._limits.output
        excess = self._find_too_large(limit - 1 if failed else limit, limit + (1 << 30))
        own = failed and excess is not None and excess.cause is Cause.DEPTH
        return None if own else excess

    def _find_full(self) -> Excess | None:
        return self._find_too_large(self._limits.output, self._limits.output)

    def _find_too_large(self, most: int, enough: int) -> Excess | None:
        shown = OUTPUT
        try:
            if measure(self._output, enough) > most:
                return Excess(Cause.OUTPUT)
            for mount, room in self._mounts:
                shown = mount.target
                if measure(mount.source, room) > room:
                    return Excess(Cause.MOUNT, shown)
        except TooDeep as deep:
            return Excess(Cause.DEPTH, f"{shown}/{printable(deep.path)}")
        return None
