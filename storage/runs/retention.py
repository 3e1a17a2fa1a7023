"""The runs of a database that are still needed, and letting go of the rest."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from chains.runs.ports import RunStates
from chains.runs.records import Run
from chains.runs.states import Event
from storage.database.database import Database
from storage.runs.activity import StoredActivity
from storage.runs.rows import OPEN, WHOLE, run_of
from vfs.ports.world import Clock, stamp

KEPT = "expired_on IS NULL AND completed_on IS NOT NULL AND parent IS NULL"
OLDEST = f"SELECT completed_on FROM run WHERE {KEPT} ORDER BY completed_on LIMIT 1"
PAST = f"SELECT key FROM run WHERE {KEPT} AND completed_on < ? ORDER BY completed_on LIMIT ?"

BATCH = 100
SPENT = f"SELECT input FROM run WHERE completed_on IS NOT NULL AND input IN ({', '.join('?' * BATCH)})"


@dataclass(frozen=True, slots=True)
class StoredRunRetention:
    """chains.runs.ports.RunRetention over a database."""

    database: Database
    clock: Clock
    states: RunStates

    def open_runs(self) -> Sequence[Run]:
        return [
            run_of(row)
            for row in self.database.rows(f"{WHOLE} WHERE r.{OPEN} AND r.top IS NULL ORDER BY r.key")
        ]

    def ended_runs(self, runs: Collection[int]) -> Sequence[int]:
        going = {row[0] for row in self.database.rows(f"SELECT key FROM run WHERE {OPEN}")}
        return [run for run in runs if run not in going]

    def oldest(self) -> str | None:
        row = self.database.row(OLDEST)
        return row[0] if row else None

    def spent_inputs(self, inputs: Collection[str]) -> Collection[str]:
        names = sorted(inputs)
        batches = [names[start : start + BATCH] for start in range(0, len(names), BATCH)]
        rows = (self.database.rows(SPENT, *batch, *[""] * (BATCH - len(batch))) for batch in batches)
        return {name for found in rows for (name,) in found}

    def expire(self, before: str, most: int) -> int:
        now = stamp(self.clock.now())
        with self.database.atomic():
            past = self.database.rows(PAST, before, most)
            self.database.many("DELETE FROM run_line WHERE run = ?", past)
            self.database.many(
                "UPDATE run SET digest = NULL, expired_on = ? WHERE key = ?", [(now, key) for (key,) in past]
            )
        return len(past)

    def discard(self, job: int) -> None:
        with self.database.atomic():
            at_work = "job = ? AND parent IS NULL AND status IN ('processing', 'canceling')"
            self.database.run(f"UPDATE run SET discarded = ? WHERE {at_work}", True, job)
            for (key,) in self.database.rows(f"SELECT key FROM run WHERE {at_work} ORDER BY key", job):
                self.states.event(key, Event.CANCEL)
            for (key,) in self.database.rows(
                "SELECT key FROM run WHERE job = ? AND parent IS NULL AND status = 'waiting'", job
            ):
                self.states.event(key, Event.DECLINE)
            doomed = "job = ? AND parent IS NULL AND NOT discarded"
            self.database.run(f"DELETE FROM run WHERE top IN (SELECT key FROM run WHERE {doomed})", job)
            self.database.run(f"DELETE FROM run WHERE {doomed}", job)
            StoredActivity(self.database).forget(job)
