"""Whether the clock of a host agrees with that of the database, as leases of several hosts are times."""

from __future__ import annotations

from storage.database.database import Database
from vfs.errors import Unavailable
from vfs.ports.clock import Clock

MOST = 5.0
"""Seconds; a runner that is ahead by its lease, which is twice as long, would take others for lost."""

NOW = "SELECT CAST(extract(epoch FROM clock_timestamp()) AS double precision)"


def lead(database: Database, clock: Clock) -> float:
    """Seconds by which a clock is ahead of that of PostgreSQL (behind: below zero), for certain."""
    before = clock.now().timestamp()
    there = float(database.value(NOW))
    after = clock.now().timestamp()
    return max(before - there, 0.0) or min(after - there, 0.0)


def require_clock(database: Database, named: str, clock: Clock) -> None:
    """Raise Unavailable where the clock is another than that of the database called `named`."""
    seconds = lead(database, clock)
    if abs(seconds) > MOST:
        way = "ahead of" if seconds > 0 else "behind"
        raise Unavailable(
            f"the clock of this host is {abs(seconds):,.0f} s {way} that of the database {named}: leases and "
            "ages are times, so runs of other hosts would be taken for lost. Nothing was started. Have both "
            "set by NTP (timedatectl set-ntp true)"
        )
