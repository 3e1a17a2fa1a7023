"""Which runner works on which run: claims, leases, and the runs of runners that are gone."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import timedelta

from chains.runs.book import Run, Worker
from storage.database.database import Database
from storage.runs.rows import OPEN, WHOLE, run_of
from storage.runs.transitions import WORK
from storage.signals.bell import Bell
from vfs.ports.world import Clock, stamp

UNCLAIMED = (
    f"SELECT key FROM run WHERE {OPEN} AND worker IS NULL AND top IS NULL"
    " AND status <> 'waiting' ORDER BY key LIMIT 1"
)
_CLAIM = (
    "UPDATE run SET worker = ?,"
    " started_on = CASE WHEN status = 'processing' THEN coalesce(started_on, ?) ELSE started_on END"
    " WHERE key = ({}) AND worker IS NULL RETURNING key"
)
_BEAT = """
UPDATE worker SET expires_on = ?, trouble = ?,
since = CASE WHEN CAST(? AS TEXT) IS NULL THEN NULL ELSE coalesce(since, CAST(? AS TEXT)) END
WHERE name = ?"""


@dataclass(frozen=True, slots=True)
class Leases:
    """Claims and leases in a database."""

    database: Database
    bell: Bell
    clock: Clock

    def claim(self, worker: str) -> Run | None:
        """As RunBook.claim."""
        if self.database.row(UNCLAIMED) is None:
            return None
        postgresql = self.database.dialect == "postgresql"
        # A run that is locked is passed over first. An answer to its hold that comes too late may have locked
        # it, and rings no bell when it lets go: so it is waited for when there is no other.
        for lock in (" FOR UPDATE SKIP LOCKED", " FOR UPDATE") if postgresql else ("",):
            claimed = self.database.rows(_CLAIM.format(UNCLAIMED + lock), worker, stamp(self.clock.now()))
            if claimed:
                row = self.database.row(f"{WHOLE} WHERE r.key = ?", claimed[0][0])
                return run_of(row) if row else None
        return None

    def enlist(self, worker: str, home: str, seconds: float) -> None:
        """As RunBook.enlist."""
        with self.database.atomic():
            self.database.run("DELETE FROM worker WHERE home = ? OR expires_on < ?", home, self._after(0))
            self.database.run(
                "INSERT INTO worker (name, home, expires_on) VALUES (?, ?, ?)",
                worker,
                home,
                self._after(seconds),
            )

    def beat(self, worker: str, seconds: float, trouble: str | None = None) -> bool:
        """As RunBook.beat."""
        told = (trouble, trouble, self._after(0))
        return bool(self.database.run(_BEAT, self._after(seconds), *told, worker))

    def retire(self, worker: str) -> None:
        """As RunBook.retire."""
        with self.database.atomic():
            self.database.run("DELETE FROM worker WHERE name = ?", worker)
            self.bell.ring(WORK)

    def alive(self, worker: str) -> bool:
        """As RunBook.alive."""
        lease = "SELECT 1 FROM worker WHERE name = ? AND expires_on >= ?"
        return self.database.row(lease, worker, self._after(0)) is not None

    def workers(self) -> Sequence[Worker]:
        """As RunBook.workers."""
        rows = self.database.rows(
            "SELECT name, home, trouble, since FROM worker WHERE expires_on >= ? ORDER BY name",
            self._after(0),
        )
        return [Worker(*row) for row in rows]

    def lost(self) -> Sequence[Run]:
        """As RunBook.lost."""
        rows = self.database.rows(
            f"{WHOLE} LEFT JOIN worker w ON w.name = r.worker AND w.expires_on >= ?"
            f" WHERE r.{OPEN} AND r.worker IS NOT NULL AND w.name IS NULL ORDER BY r.key",
            self._after(0),
        )
        return [run_of(row) for row in rows]

    def over(self, runs: Collection[int]) -> Sequence[int]:
        """As RunBook.over."""
        going = {row[0] for row in self.database.rows(f"SELECT key FROM run WHERE {OPEN}")}
        return [run for run in runs if run not in going]

    def canceling(self, worker: str) -> Sequence[int]:
        """As RunBook.canceling."""
        rows = self.database.rows(
            f"SELECT key FROM run WHERE {OPEN} AND worker = ? AND status = 'canceling' ORDER BY key", worker
        )
        return [row[0] for row in rows]

    def _after(self, seconds: float) -> str:
        return stamp(self.clock.now() + timedelta(seconds=seconds))
