"""Checks of a host's clock: steps, and the difference to the clock of the database."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from storage.database.database import Database
from vfs.errors import Unavailable
from vfs.ports.clock import Clock

MOST = 5.0
"""Allowed difference in seconds, half a lease: a runner ahead by a lease would count others as lost."""

NOW = "SELECT CAST(extract(epoch FROM clock_timestamp()) AS double precision)"


@dataclass(frozen=True, slots=True)
class ServerClock:
    """The time of PostgreSQL, by which hosts agree even if the clock of one is set wrong later."""

    database: Database

    def now(self) -> datetime:
        """Return the moment."""
        return datetime.fromtimestamp(float(self.database.value(NOW)), UTC)


def lead(database: Database, clock: Clock) -> float:
    """Return the least possible seconds by which a clock is ahead of PostgreSQL's (behind: negative)."""
    before = clock.now().timestamp()
    there = float(database.value(NOW))
    after = clock.now().timestamp()
    return max(before - there, 0.0) or min(after - there, 0.0)


def require_clock(database: Database, named: str, clock: Clock) -> None:
    """Raise Unavailable when the clock differs by more than MOST from that of the database `named`."""
    seconds = lead(database, clock)
    if abs(seconds) > MOST:
        way = "ahead of" if seconds > 0 else "behind"
        raise Unavailable(
            f"the clock of this host is {abs(seconds):,.0f} s {way} that of the database {named}: leases and "
            "ages are times, so runs of other hosts would be taken for lost. Nothing was started. Have both "
            "set by NTP (timedatectl set-ntp true)"
        )


def uptime() -> float:
    """Return the seconds since this machine was started, including sleep; this clock cannot be set."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


class Steady:
    """Compares the wall clock with one that cannot be set. Not thread-safe."""

    def __init__(self, clock: Clock, elapsed: Callable[[], float] = uptime) -> None:
        self._clock = clock
        self._elapsed = elapsed
        self._then = self._both()

    def step(self) -> timedelta:
        """Return the time by which the wall clock was set forward (back: negative) since the last call."""
        before, self._then = self._then, self._both()
        return self._then[0] - before[0] - timedelta(seconds=self._then[1] - before[1])

    def _both(self) -> tuple[timedelta, float]:
        now = self._clock.now()
        return timedelta(seconds=now.timestamp()), self._elapsed()
