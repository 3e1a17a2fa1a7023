"""How long logs and outputs of runs are kept, and how carefully they are let go."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from chains.runs.book import RunBook
from vfs.ports.world import stamp

DAYS_AT_ONCE = 2
"""What one sweep lets go of at most, in days of runs: a clock that is wrong costs no more than that."""

BATCH = 200


@dataclass(frozen=True, slots=True)
class Retention:
    """Lets go of the logs and outputs of the runs in `book` that ended `days` ago."""

    book: RunBook
    days: int

    def sweep(self, now: datetime) -> int:
        """Sweep once; of how many runs it was."""
        oldest = self.book.oldest()
        if oldest is None:
            return 0
        farthest = datetime.fromisoformat(oldest) + timedelta(days=DAYS_AT_ONCE)
        limit = stamp(min(now - timedelta(days=self.days), farthest))
        count = 0
        while expired := self.book.expire(limit, BATCH):
            count += expired
        return count
