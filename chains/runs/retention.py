"""Retention: the age at which data is removed, and the removal of logs and outputs of runs."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from chains.runs.ports import RunRetention
from vfs.ports.clock import stamp

DAYS_AT_ONCE = 2
"""The maximum number of days whose data one sweep removes, to limit the damage of a wrong clock."""

BATCH = 200


def remove_before(now: datetime, days: int, oldest: str) -> str:
    """Return the stamp before which a sweep removes data, after `days`. `oldest`: that of the oldest data."""
    farthest = datetime.fromisoformat(oldest) + timedelta(days=DAYS_AT_ONCE)
    return stamp(min(now - timedelta(days=days), farthest))


@dataclass(frozen=True, slots=True)
class RetentionSweep:
    """The removal of the logs and outputs of runs that ended `days` ago."""

    runs: RunRetention
    days: int

    def sweep(self, now: datetime) -> int:
        """Sweep once. Return the number of runs swept."""
        oldest = self.runs.oldest()
        if oldest is None:
            return 0
        limit, count = remove_before(now, self.days, oldest), 0
        while expired := self.runs.expire(limit, BATCH):
            count += expired
        return count
