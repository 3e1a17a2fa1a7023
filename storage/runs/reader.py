"""Queries of runs, their steps, holds and logs in a database."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

from chains.language.ast import Phase
from chains.runs.records import JobFacts, KeptInput, LogLine, Past, Run, RunHold, RunMark, StepRow
from chains.runs.states import Status
from storage.database.bulk import batches
from storage.database.columns import TableColumns
from storage.database.database import Database
from storage.database.store import Store
from storage.runs.rows import BRIEF, ITSELF, LINE, OPEN, STEP, STEPS, WHOLE, run_of
from vfs.errors import NotFound
from vfs.ports.blobs import Ref

TOP = f"{WHOLE} WHERE r.job = :job AND r.id = :id AND r.parent IS NULL"
BELOW = f"{WHOLE} JOIN run t ON t.key = r.top WHERE r.id = :id AND r.top IS NOT NULL AND t.job = :job"
CHILD = f"{WHOLE} WHERE r.id = :id AND r.top IS NOT NULL AND r.job = :job"
CHILDREN = f"{WHOLE} WHERE r.top = :run ORDER BY r.key"
BY_KEY = f"{WHOLE} WHERE r.key = :run"
ZIP = "application/zip"
KEPT_INPUT = "SELECT input_text, input_digest, input_size FROM run WHERE key = :run"
STATUS = "SELECT status FROM run WHERE key = :run"
NEWEST = f"{BRIEF} WHERE r.job = :job AND r.parent IS NULL ORDER BY r.key DESC LIMIT :limit"
PAST = (
    "SELECT key, id, coalesce(started_on, created_on), trigger, caller, duration, status, started_on FROM run"
    " WHERE job = :job AND parent IS NULL AND key < :before ORDER BY key DESC LIMIT :most"
)
FACTS = f"""
SELECT r.job, c.runs, r.status, coalesce(r.started_on, r.created_on),
    (SELECT COUNT(*) FROM step s WHERE s.run = r.key AND s.replica = {ITSELF}),
    (SELECT COUNT(*) FROM step s WHERE s.run = r.key AND s.replica = {ITSELF} AND s.completed_on IS NOT NULL)
FROM (
    SELECT MAX(key) AS last, COUNT(*) AS runs FROM run WHERE parent IS NULL AND job IN (:jobs) GROUP BY job) c
JOIN run r ON r.key = c.last"""
NEWEST_OF = """
SELECT r.job, r.id, r.status, r.started_on, r.completed_on FROM item j CROSS JOIN run r
WHERE j.id IN (:jobs) AND r.job = j.id AND r.parent IS NULL AND r.key >= COALESCE((
    SELECT k.key FROM run k WHERE k.job = j.id AND k.parent IS NULL
    ORDER BY k.key DESC LIMIT 1 OFFSET :more), 0)
ORDER BY r.key DESC"""
LAST = "SELECT max(key) FROM run WHERE job = :job AND parent IS NULL"
GOING = f"{BRIEF} WHERE r.{OPEN} AND r.job = :job AND r.top IS NULL ORDER BY r.key"
AHEAD = (
    "SELECT count(*) FROM run WHERE status IN ('processing', 'canceling') AND worker IS NULL AND top IS NULL"
    " AND caller = :by AND key < :run"
)
BEYOND = 1 << 62
LINES = f"SELECT {LINE} FROM run_line WHERE run = :run AND seq > :after ORDER BY seq"
HOLD = TableColumns(
    RunHold, "step phase waiting_since settled_at outcome settled_by space frozen", phase=Phase
)
HOLDS = f"SELECT {HOLD} FROM hold WHERE run = :run ORDER BY waiting_since, step, phase"
SCHEDULED = (
    "SELECT status FROM run WHERE job = :job AND parent IS NULL AND trigger = 'schedule'"
    " AND status IN ('success', 'failed') ORDER BY key DESC LIMIT 100"
)

# Only of the newest 100 runs, so that the query is fast even if all runs of a job fail.
DURATIONS = """
SELECT duration FROM (
    SELECT key, status, duration FROM run WHERE job = :job AND parent IS NULL ORDER BY key DESC LIMIT 100) r
WHERE status = 'success' AND duration IS NOT NULL ORDER BY key DESC LIMIT :most"""


class StoredRunReader(Store):
    """chains.runs.ports.RunReader over a database."""

    def get(self, job: int, id: str) -> Run | None:
        return self._first(TOP, job=job, id=id) or self._first(BELOW, job=job, id=id)

    def get_child(self, job: int, id: str) -> Run | None:
        return self._first(CHILD, job=job, id=id)

    def children(self, run: int) -> Sequence[Run]:
        return [run_of(row) for row in self._database.rows(CHILDREN, run=run)]

    def by_key(self, run: int) -> Run | None:
        return self._first(BY_KEY, run=run)

    def newest(self, job: int, limit: int | None) -> Sequence[Run]:
        rows = self._database.rows(NEWEST, job=job, limit=BEYOND if limit is None else limit)
        return [run_of(row) for row in rows]

    def facts_of(self, jobs: Sequence[int]) -> Mapping[int, JobFacts]:
        found: dict[int, JobFacts] = {}
        for sql, params in batches(FACTS, jobs=jobs):
            for job, runs, status, *rest in self._database.rows(sql, **params):
                found[job] = JobFacts(runs, Status(status), *rest)
        return found

    def newest_of(self, jobs: Sequence[int], most: int) -> Mapping[int, Sequence[RunMark]]:
        found: dict[int, list[RunMark]] = {}
        for sql, params in batches(NEWEST_OF, jobs=jobs):
            for job, id, status, *times in self._database.rows(sql, **params, more=most - 1):
                found.setdefault(job, []).append(RunMark(id, Status(status), *times))
        return found

    def history(self, job: int, before: int | None, most: int) -> Sequence[Past]:
        below = BEYOND if before is None else before
        rows: Sequence[Past] = self._database.rows(PAST, job=job, before=below, most=most)
        return rows

    def version(self, job: int) -> str | None:
        going = self.going(job)
        if any(run.started_on is not None for run in going):
            return None
        newest = self._database.value(LAST, job=job)
        return f"{job}.{newest}.{'.'.join(str(run.key) for run in going)}"

    def going(self, job: int) -> Sequence[Run]:
        return [run_of(row) for row in self._database.rows(GOING, job=job)]

    def ahead(self, run: Run) -> int:
        before: int = self._database.value(AHEAD, by=run.by, run=run.key)
        return before

    def kept_input(self, run: int) -> KeptInput | None:
        text, digest, size = self._database.row(KEPT_INPUT, run=run) or (None, None, 0)
        if text is None and digest is None:
            return None
        return KeptInput(text, Ref(digest, size, ZIP) if digest is not None else None)

    def steps(self, run: int) -> Sequence[StepRow]:
        return self._database.all(STEP, STEPS, run=run)

    def lines(self, run: int, after: int = 0) -> Sequence[LogLine]:
        return self._database.all(LINE, LINES, run=run, after=after)

    def holds(self, run: int) -> Sequence[RunHold]:
        return self._database.all(HOLD, HOLDS, run=run)

    def durations(self, job: int, most: int) -> Sequence[float]:
        return [float(took) for (took,) in self._database.rows(DURATIONS, job=job, most=most)]

    def failures(self, job: int) -> int:
        ends = (status for (status,) in self._database.rows(SCHEDULED, job=job))
        return sum(1 for _ in itertools.takewhile(lambda status: status == Status.FAILED, ends))

    def _first(self, sql: str, **key: int | str) -> Run | None:
        row = self._database.row(sql, **key)
        return run_of(row) if row else None


def find_run(database: Database, run: int) -> Run:
    """Return the run with this key. Raises NotFound."""
    found = StoredRunReader(database).by_key(run)
    if found is None:
        raise no_run(run)
    return found


def find_status(database: Database, run: int) -> Status:
    """Return the status of a run. Raises NotFound."""
    status = database.value(STATUS, run=run)
    if status is None:
        raise no_run(run)
    return Status(status)


def no_run(run: int) -> NotFound:
    """Return the error for a key that no run has."""
    return NotFound(f"There is no run number {run} any more.")
