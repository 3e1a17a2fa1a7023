"""Retention: how old things are removed, and that of the logs and outputs of runs."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from chains.runs.ports import RunRetention
from vfs.ports.clock import stamp

DAYS_AT_ONCE = 2
"""The days of things that one sweep removes at most, to limit the damage of a wrong clock."""

BATCH = 200


def remove_before(now: datetime, days: int, oldest: str) -> str:
    """Return the time stamp before which a sweep removes what is `days` old; `oldest` is the first one's."""
    farthest = datetime.fromisoformat(oldest) + timedelta(days=DAYS_AT_ONCE)
    return stamp(min(now - timedelta(days=days), farthest))


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
        limit, count = remove_before(now, self.days, oldest), 0
        while expired := self.runs.expire(limit, BATCH):
            count += expired
        return count
