"""Leases of runners in a database, and the runs of runners that are gone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from chains.runs.records import Run, Worker
from storage.database.database import Database
from storage.runs.rows import OPEN, WHOLE, run_of
from storage.runs.topics import WORK
from storage.signals.bell import Bell
from vfs.ports.world import Clock, stamp

_BEAT = """
UPDATE worker SET expires_on = ?, trouble = ?,
since = CASE WHEN CAST(? AS TEXT) IS NULL THEN NULL ELSE coalesce(since, CAST(? AS TEXT)) END
WHERE name = ?"""


@dataclass(frozen=True, slots=True)
class StoredLeases:
    """chains.runs.ports.Leases over a database."""

    database: Database
    bell: Bell
    clock: Clock

    def enlist(self, worker: str, home: str, seconds: float) -> None:
        with self.database.atomic():
            self.database.run("DELETE FROM worker WHERE home = ? OR expires_on < ?", home, self._after(0))
            self.database.run(
                "INSERT INTO worker (name, home, expires_on) VALUES (?, ?, ?)",
                worker,
                home,
                self._after(seconds),
            )

    def beat(self, worker: str, seconds: float, trouble: str | None = None) -> bool:
        told = (trouble, trouble, self._after(0))
        return bool(self.database.run(_BEAT, self._after(seconds), *told, worker))

    def retire(self, worker: str) -> None:
        with self.database.atomic():
            self.database.run("DELETE FROM worker WHERE name = ?", worker)
            self.bell.ring(WORK)

    def is_alive(self, worker: str) -> bool:
        lease = "SELECT 1 FROM worker WHERE name = ? AND expires_on >= ?"
        return self.database.row(lease, worker, self._after(0)) is not None

    def workers(self) -> Sequence[Worker]:
        rows = self.database.rows(
            "SELECT name, home, trouble, since FROM worker WHERE expires_on >= ? ORDER BY name",
            self._after(0),
        )
        return [Worker(*row) for row in rows]

    def lost_runs(self) -> Sequence[Run]:
        rows = self.database.rows(
            f"{WHOLE} LEFT JOIN worker w ON w.name = r.worker AND w.expires_on >= ?"
            f" WHERE r.{OPEN} AND r.worker IS NOT NULL AND w.name IS NULL ORDER BY r.key",
            self._after(0),
        )
        return [run_of(row) for row in rows]

    def _after(self, seconds: float) -> str:
        return stamp(self.clock.now() + timedelta(seconds=seconds))
