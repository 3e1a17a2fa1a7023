"""CommitMarks: counts of the commits of this host's processes, in a file that all of them read."""

from __future__ import annotations

import contextlib
import fcntl
import os
import struct
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from chains.files.keeper import keeper_of

SLOTS = 256
# What a process says in its slot: how many commits it began, and how many of them ended.
SLOT = struct.Struct("=II")
SIZE = SLOTS * SLOT.size
ROUND = 1 << 32
# For so long at most somebody relies on the marks: others than Curlew leave none when they commit.
TRUST_SECONDS = 0.01


class CommitMarks:
    """Tells by a read whether a process of this host has committed since, and marks the commits of this one.

    Each process has a slot of the file at `path` for itself, as long as it lives. One that cannot mark a
    commit (no slot is free, the disk is full) waits after it until nobody relies on the marks any more.
    """

    def __init__(self, path: Path) -> None:
        self._lock = threading.Lock()
        self._begun = self._ended = 0
        self._slot: int | None = None
        self._file: int | None = None
        self._last: tuple[bytes, bool] = (b"", False)
        with contextlib.suppress(OSError):
            self._open(path)

    def read(self) -> bytes | None:
        """All marks: equal ones, one after the other, mean that no process of this host committed between.

        None while one of them commits, and where the marks cannot be read.
        """
        if self._file is None:
            return None
        try:
            marks = os.pread(self._file, SIZE, 0)
        except OSError:
            return None
        last = self._last
        if marks != last[0]:
            last = self._last = marks, _is_quiet(marks)
        return marks if last[1] else None

    @contextmanager
    def committing(self) -> Iterator[None]:
        """Mark a commit, from before the database is asked for it until it has answered."""
        is_begin_marked = self._count(1, 0)
        try:
            yield
        finally:
            is_end_marked = self._count(0, 1)
            if not (is_begin_marked and is_end_marked):
                time.sleep(TRUST_SECONDS)

    def close(self) -> None:
        """Leave the slot to another process."""
        with self._lock:
            file, self._file, self._slot = self._file, None, None
        if file is not None:
            os.close(file)

    def _open(self, path: Path) -> None:
        how = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        with keeper_of(path.parent).acting():
            self._file = os.open(path, how, 0o600)
        if os.fstat(self._file).st_size < SIZE:
            os.ftruncate(self._file, SIZE)
        slot = _free_slot(self._file)
        if slot is not None:
            # Whoever had it may have died amid a commit.
            self._begun = self._ended = SLOT.unpack(os.pread(self._file, SLOT.size, slot * SLOT.size))[0]
            self._slot = slot
            self._count(0, 0)

    def _count(self, begun: int, ended: int) -> bool:
        """Say how many commits there are now; whether that could be said."""
        with self._lock:
            self._begun, self._ended = (self._begun + begun) % ROUND, (self._ended + ended) % ROUND
            if self._file is None or self._slot is None:
                return False
            try:
                os.pwrite(self._file, SLOT.pack(self._begun, self._ended), self._slot * SLOT.size)
            except OSError:
                return False
        return True


def _is_quiet(marks: bytes) -> bool:
    """Whether every commit that began has ended."""
    return all(begun == ended for begun, ended in SLOT.iter_unpack(marks))


def _free_slot(file: int) -> int | None:
    """A slot that is nobody's, locked as long as the file is open here."""
    for slot in range(SLOTS):
        lock = struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, slot * SLOT.size, SLOT.size, 0)
        try:
            fcntl.fcntl(file, fcntl.F_OFD_SETLK, lock)
        except BlockingIOError:
            continue
        return slot
    return None
