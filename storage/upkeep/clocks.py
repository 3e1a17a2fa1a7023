"""The clocks of a host: the wall clock, checks of its changes, and deadlines that never go back with it."""

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
from storage.database.database import Database
from vfs.errors import Unavailable
from vfs.ports.clock import Clock, stamp

MOST = 5.0
"""Allowed difference in seconds: half a lease. A runner ahead by a whole lease would count others as lost."""

NOW = "SELECT CAST(extract(epoch FROM clock_timestamp()) AS double precision)"


class WallClock:
    """The clock of this machine."""

    def now(self) -> datetime:
        """Return the current time, aware, in UTC."""
        return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class ServerClock:
    """The time of PostgreSQL, by which hosts agree even if the clock of one is set wrong later."""

    database: Database

    def now(self) -> datetime:
        """Return the current time, aware, in UTC."""
        return datetime.fromtimestamp(float(self.database.value(NOW)), UTC)


def lead(database: Database, clock: Clock) -> float:
    """Return the minimum number of seconds by which a clock is ahead of PostgreSQL's (negative: behind)."""
    before = clock.now().timestamp()
    there = float(database.value(NOW))
    after = clock.now().timestamp()
    return max(before - there, 0.0) or min(after - there, 0.0)


def require_clock(database: Database, named: str, clock: Clock) -> None:
    """Raise Unavailable if the clock differs by more than MOST from that of the database `named`."""
    seconds = lead(database, clock)
    if abs(seconds) > MOST:
        way = "ahead of" if seconds > 0 else "behind"
        raise Unavailable(
            f"the clock of this host is {abs(seconds):,.0f} s {way} that of the database {named}: leases and "
            "ages are times, so runs of other hosts would count as lost. Nothing was started. Have both set "
            "by NTP (timedatectl set-ntp true)"
        )


def uptime() -> float:
    """Return the seconds since this machine was started, including sleep. This clock cannot be set."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


class Steady:
    """A comparison of the wall clock with a clock that cannot be set. Not thread-safe."""

    def __init__(self, clock: Clock, elapsed: Callable[[], float] = uptime) -> None:
        self._clock = clock
        self._elapsed = elapsed
        self._then = self._both()

    def step(self) -> timedelta:
        """Return the time by which the wall clock was set forward (negative: back) since the last call."""
        before, self._then = self._then, self._both()
        return self._then[0] - before[0] - timedelta(seconds=self._then[1] - before[1])

    def _both(self) -> tuple[timedelta, float]:
        now = self._clock.now()
        return timedelta(seconds=now.timestamp()), self._elapsed()


# A clock may be set back by at most this time without effect on deadlines (reliability 3.5).
ALLOWED = timedelta(seconds=5)
# Seconds between two exchanges of the latest time with other processes.
EVERY = 1.0
# Only larger steps are logged.
WORTH_TELLING = timedelta(minutes=1)
LONGEST = 100
NEVER = datetime.min.replace(tzinfo=UTC)

_log = logging.getLogger(__name__)


class Seen:
    """A clock (vfs.ports.clock.Clock) that remembers its latest time, in memory and in a file.

    The file shares the time with other and later processes of the data folder. It contains one time stamp and
    is not synced: after a power cut it may be some seconds old.
    """

    def __init__(self, clock: Clock, file: Path, elapsed: Callable[[], float] = time.monotonic) -> None:
        """Use `clock`. `elapsed` returns the seconds of a clock that cannot be set."""
        self._clock = clock
        self._file = file
        self._keeper = keeper_of(file.parent)
        self._elapsed = elapsed
        self._looked, self._kept = -EVERY, NEVER
        self._is_logged = False
        self.latest = NEVER

    def now(self) -> datetime:
        """Return the current time of the clock, aware, in UTC."""
        now = self._clock.now()
        self.latest = max(self.latest, now)
        elapsed = self._elapsed()
        if elapsed - self._looked >= EVERY or (self.latest - self._kept).total_seconds() >= EVERY:
            self._looked = elapsed
            self._look()
            self._tell(now)
        return now

    def _look(self) -> None:
        """Read the latest time of other processes, or write a later one."""
        with contextlib.suppress(OSError), self._keeper.acting():
            self._compare()

    def _compare(self) -> None:
        self._kept = _read(self._file)
        self.latest = max(self.latest, self._kept)
        if self._kept < self.latest:
            self._kept = self.latest
            _write(self._file, self.latest)

    def _tell(self, now: datetime) -> None:
        """Log once that the clock was set back, and what to do if it is now right."""
        back = self.latest - now > WORTH_TELLING
        if back and not self._is_logged:
            _log.warning(
                "the clock was set back from %s: tokens are checked against that time until it is reached; "
                "if that time was wrong, stop the service and remove %s",
                stamp(self.latest),
                self._file,
            )
        self._is_logged = back


@dataclass(frozen=True, slots=True)
class Deadlines:
    """The time with which deadlines are compared (a Clock).

    It is the current time, but never more than five seconds before the latest time that was seen.
    """

    seen: Seen

    def now(self) -> datetime:
        """Return the later of the current time and the latest one minus ALLOWED, aware, in UTC."""
        now = self.seen.now()
        return max(now, self.seen.latest - ALLOWED)


def _read(file: Path) -> datetime:
    """Return the time in a file, or NEVER if it has none."""
    with contextlib.suppress(OSError, ValueError):
        opened = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            kept = datetime.fromisoformat(os.read(opened, LONGEST).decode("ascii"))
        finally:
            os.close(opened)
        return kept if kept.tzinfo is not None else NEVER
    return NEVER


def _write(file: Path, moment: datetime) -> None:
    """Write a time to the file, to which each account of the data folder's group may write.

    All stamps have the same length, so a concurrent reader gets the old or the new one.
    """
    opened = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o660)
    try:
        if os.fstat(opened).st_size == 0:
            os.fchmod(opened, 0o660)
        os.pwrite(opened, stamp(moment).encode("ascii"), 0)
    finally:
        os.close(opened)
