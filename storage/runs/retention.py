"""Logs and outputs of runs that are past their retention, in a database."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from storage.database.database import Database
from vfs.ports.world import Clock, stamp

KEPT = "expired_on IS NULL AND completed_on IS NOT NULL AND parent IS NULL"
OLDEST = f"SELECT completed_on FROM run WHERE {KEPT} ORDER BY completed_on LIMIT 1"
PAST = f"SELECT key FROM run WHERE {KEPT} AND completed_on < ? ORDER BY completed_on LIMIT ?"

BATCH = 100
SPENT = f"SELECT input FROM run WHERE completed_on IS NOT NULL AND input IN ({', '.join('?' * BATCH)})"


@dataclass(frozen=True, slots=True)
class Retention:
    """The part of a book of runs that lets go of what is old."""

    database: Database
    clock: Clock

    def oldest(self) -> str | None:
        """As RunBook.oldest."""
        row = self.database.row(OLDEST)
        return row[0] if row else None

    def spent(self, inputs: Collection[str]) -> Collection[str]:
        """As RunBook.spent."""
        names = sorted(inputs)
        batches = [names[start : start + BATCH] for start in range(0, len(names), BATCH)]
        rows = (self.database.rows(SPENT, *batch, *[""] * (BATCH - len(batch))) for batch in batches)
        return {name for found in rows for (name,) in found}

    def expire(self, before: str, most: int) -> int:
        """As RunBook.expire."""
        now = stamp(self.clock.now())
        with self.database.atomic():
            past = self.database.rows(PAST, before, most)
            self.database.many("DELETE FROM run_line WHERE run = ?", past)
            self.database.many(
                "UPDATE run SET digest = NULL, expired_on = ? WHERE key = ?", [(now, key) for (key,) in past]
            )
        return len(past)
