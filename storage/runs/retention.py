"""Retention of runs in a database: the runs that are still needed, and the expiry of the rest."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from chains.runs.ports import RunStates
from chains.runs.records import Run
from chains.runs.states import Event, Status
from storage.database.bulk import spread
from storage.database.database import Database
from storage.runs.activity import StoredActivity
from storage.runs.rows import OPEN, WHOLE, run_of
from vfs.ports.clock import Clock, stamp

KEPT = "expired_on IS NULL AND completed_on IS NOT NULL AND parent IS NULL"
OLDEST = f"SELECT completed_on FROM run WHERE {KEPT} ORDER BY completed_on LIMIT 1"
PAST = f"SELECT key FROM run WHERE {KEPT} AND completed_on < :before ORDER BY completed_on LIMIT :most"
FORGET_LOG = "DELETE FROM run_line WHERE run = :run"
EXPIRE = """
UPDATE run SET digest = NULL, input_text = NULL, input_digest = NULL, files = NULL, expired_on = :now
WHERE key = :run"""

BATCH = 100
SPENT = "SELECT input FROM run WHERE completed_on IS NOT NULL AND input IN (:inputs)"

OPEN_RUNS = f"{WHOLE} WHERE r.{OPEN} AND r.top IS NULL ORDER BY r.key"
OPEN_KEYS = f"SELECT key FROM run WHERE {OPEN}"

HELD_FILES = f"""
SELECT files FROM run WHERE {OPEN} AND files IS NOT NULL
UNION SELECT s.files FROM step s JOIN run r ON r.key = s.run
WHERE s.files IS NOT NULL AND r.status <> 'success' AND r.expired_on IS NULL"""

GOING = f"job = :job AND parent IS NULL AND {OPEN}"
MARK = f"UPDATE run SET discarded = TRUE WHERE {GOING}"
TO_END = f"SELECT key FROM run WHERE {GOING} ORDER BY key"
LOCK = f"UPDATE run SET lines = lines WHERE key = :run AND {OPEN} RETURNING status"
DOOMED = "job = :job AND parent IS NULL AND NOT discarded"
FORGET = (
    f"DELETE FROM run WHERE top IN (SELECT key FROM run WHERE {DOOMED})",
    f"DELETE FROM run WHERE {DOOMED}",
)


@dataclass(frozen=True, slots=True)
class StoredRunRetention:
    """chains.runs.ports.RunRetention over a database."""

    database: Database
    clock: Clock
    states: RunStates

    def open_runs(self) -> Sequence[Run]:
        return [run_of(row) for row in self.database.rows(OPEN_RUNS)]

    def ended_runs(self, runs: Collection[int]) -> Sequence[int]:
        going = {key for (key,) in self.database.rows(OPEN_KEYS)}
        return [run for run in runs if run not in going]

    def spent_inputs(self, inputs: Collection[str]) -> Collection[str]:
        found, names = set[str](), sorted(inputs)
        for start in range(0, len(names), BATCH):
            batch = names[start : start + BATCH]
            sql, params = spread(SPENT, inputs=batch + [""] * (BATCH - len(batch)))
            found |= {name for (name,) in self.database.rows(sql, **params)}
        return found

    def held_files(self) -> Sequence[str]:
        return [manifest for (manifest,) in self.database.rows(HELD_FILES)]

    def oldest(self) -> str | None:
        ended: str | None = self.database.value(OLDEST)
        return ended

    def expire(self, before: str, most: int) -> int:
        now = stamp(self.clock.now())
        with self.database.atomic():
            past = [{"run": key} for (key,) in self.database.rows(PAST, before=before, most=most)]
            self.database.many(FORGET_LOG, past)
            self.database.many(EXPIRE, [{**run, "now": now} for run in past])
        return len(past)

    def stop(self, job: int) -> None:
        with self.database.atomic():
            for (key,) in self.database.rows(TO_END, job=job):
                # A run may have ended meanwhile; the lock keeps its status until the event.
                if (status := self.database.value(LOCK, run=key)) is not None:
                    self.states.event(key, Event.DECLINE if status == Status.WAITING else Event.CANCEL)

    def discard(self, job: int) -> None:
        with self.database.atomic():
            self.database.run(MARK, job=job)
            self.stop(job)
            for statement in FORGET:
                self.database.run(statement, job=job)
            StoredActivity(self.database).forget(job)
