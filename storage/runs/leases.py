"""Leases of runners in a database, and the runs of runners that are gone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from chains.runs.records import Run, Worker
from storage.database.columns import TableColumns
from storage.database.database import Database
from storage.runs.rows import OPEN, WHOLE, run_of
from storage.runs.topics import WORK
from storage.signals.bell import Bell
from vfs.ports.clock import Clock, stamp

WORKER = TableColumns(Worker, "name home trouble since")
END_EARLIER = "DELETE FROM worker WHERE home = :home OR expires_on < :now"
ENLIST = "INSERT INTO worker (name, home, expires_on) VALUES (:name, :home, :expires_on)"
BEAT = """
UPDATE worker SET expires_on = :expires_on, trouble = :trouble, since = CASE
    WHEN CAST(:trouble AS TEXT) IS NULL THEN NULL ELSE coalesce(since, CAST(:now AS TEXT)) END
WHERE name = :name"""
RETIRE = "DELETE FROM worker WHERE name = :name"
ALIVE = "SELECT 1 FROM worker WHERE name = :name AND expires_on >= :now"
WORKERS = f"SELECT {WORKER} FROM worker WHERE expires_on >= :now ORDER BY name"
LOST = (
    f"{WHOLE} LEFT JOIN worker w ON w.name = r.worker AND w.expires_on >= :now"
    f" WHERE r.{OPEN} AND r.worker IS NOT NULL AND w.name IS NULL ORDER BY r.key"
)


@dataclass(frozen=True, slots=True)
class StoredLeases:
    """chains.runs.ports.Leases over a database."""

    database: Database
    bell: Bell
    clock: Clock

    def enlist(self, worker: str, home: str, seconds: float) -> None:
        with self.database.atomic():
            self.database.run(END_EARLIER, home=home, now=self._after(0))
            self.database.run(ENLIST, name=worker, home=home, expires_on=self._after(seconds))

    def beat(self, worker: str, seconds: float, trouble: str | None = None) -> bool:
        lease = {"name": worker, "expires_on": self._after(seconds)}
        return bool(self.database.run(BEAT, **lease, trouble=trouble, now=self._after(0)))

    def retire(self, worker: str) -> None:
        with self.database.atomic():
            self.database.run(RETIRE, name=worker)
            self.bell.ring(WORK)

    def is_alive(self, worker: str) -> bool:
        return self.database.row(ALIVE, name=worker, now=self._after(0)) is not None

    def workers(self) -> Sequence[Worker]:
        return [WORKER.read(row) for row in self.database.rows(WORKERS, now=self._after(0))]

    def lost_runs(self) -> Sequence[Run]:
        return [run_of(row) for row in self.database.rows(LOST, now=self._after(0))]

    def _after(self, seconds: float) -> str:
        return stamp(self.clock.now() + timedelta(seconds=seconds))
