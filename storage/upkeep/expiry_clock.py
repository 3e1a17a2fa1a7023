"""The latest moment that was seen, so that what has expired stays so when the clock is set back."""

from __future__ import annotations

import contextlib
import logging
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from chains.files.keeper import keeper_of
from vfs.ports.clock import Clock, stamp

# By so much a clock may be set back without anybody noticing (reliability 3.5).
ALLOWED = timedelta(seconds=5)
# How often a process looks at what others have seen and tells them what it saw, in seconds.
EVERY = 1.0
# What is worth a line in the log.
WORTH_TELLING = timedelta(minutes=1)
LONGEST = 100
NEVER = datetime.min.replace(tzinfo=UTC)

_log = logging.getLogger(__name__)


class Seen:
    """A clock (vfs.ports.clock.Clock) that remembers the latest moment it told, in memory and in a file.

    The file is for the other processes of the data folder and those that come after them.
    The file holds one time stamp. It is not synced: after a power cut some seconds of it may be missing.
    """

    def __init__(self, clock: Clock, file: Path, elapsed: Callable[[], float] = time.monotonic) -> None:
        """`elapsed` tells the seconds of a clock that nobody sets."""
        self._clock = clock
        self._file = file
        self._keeper = keeper_of(file.parent)
        self._elapsed = elapsed
        self._looked, self._kept = -EVERY, NEVER
        self._told = False
        self.latest = NEVER

    def now(self) -> datetime:
        """The present moment by the clock, aware, UTC."""
        now = self._clock.now()
        self.latest = max(self.latest, now)
        elapsed = self._elapsed()
        if elapsed - self._looked >= EVERY or (self.latest - self._kept).total_seconds() >= EVERY:
            self._looked = elapsed
            self._look()
            self._tell(now)
        return now

    def _look(self) -> None:
        """Learn what others have seen, or let them know."""
        with contextlib.suppress(OSError), self._keeper.acting():
            self._compare()

    def _compare(self) -> None:
        self._kept = _read(self._file)
        self.latest = max(self.latest, self._kept)
        if self._kept < self.latest:
            self._kept = self.latest
            _write(self._file, self.latest)

    def _tell(self, now: datetime) -> None:
        """Say once that the clock was set back, and how to go on when it is right now."""
        back = self.latest - now > WORTH_TELLING
        if back and not self._told:
            _log.warning(
                "the clock was later before (%s): tokens are judged by that time until it has caught up; if "
                "it was wrong then, stop the service and remove %s",
                stamp(self.latest),
                self._file,
            )
        self._told = back


@dataclass(frozen=True, slots=True)
class Deadlines:
    """The time by which deadlines are judged (a Clock).

    It is the present, but never more than five seconds before the latest moment that was seen.
    """

    seen: Seen

    def now(self) -> datetime:
        """The later of the present and what was seen, aware, UTC."""
        now = self.seen.now()
        return max(now, self.seen.latest - ALLOWED)


def _read(file: Path) -> datetime:
    """The moment that a file holds; the earliest there is when it holds none."""
    with contextlib.suppress(OSError, ValueError):
        opened = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            kept = datetime.fromisoformat(os.read(opened, LONGEST).decode("ascii"))
        finally:
            os.close(opened)
        return kept if kept.tzinfo is not None else NEVER
    return NEVER


def _write(file: Path, moment: datetime) -> None:
    """Put a moment into the file, which each account of the data folder's group may write.

    All stamps are of one length, so a reader meanwhile finds one or the other.
    """
    opened = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o660)
    try:
        if os.fstat(opened).st_size == 0:
            os.fchmod(opened, 0o660)
        os.pwrite(opened, stamp(moment).encode("ascii"), 0)
    finally:
        os.close(opened)
