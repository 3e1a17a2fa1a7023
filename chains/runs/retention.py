"""Retention of the logs and outputs of runs."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from chains.runs.ports import RunRetention
from vfs.ports.clock import stamp

DAYS_AT_ONCE = 2
"""The days of runs that one sweep removes at most, to limit the damage of a wrong clock."""

BATCH = 200


@dataclass(frozen=True, slots=True)
class RetentionSweep:
    """Removes the logs and outputs of the runs that ended `days` ago."""

    runs: RunRetention
    days: int

    def sweep(self, now: datetime) -> int:
        """Sweep once. Return the number of runs swept."""
        oldest = self.runs.oldest()
        if oldest is None:
            return 0
        farthest = datetime.fromisoformat(oldest) + timedelta(days=DAYS_AT_ONCE)
        limit = stamp(min(now - timedelta(days=self.days), farthest))
        count = 0
        while expired := self.runs.expire(limit, BATCH):
            count += expired
        return count
