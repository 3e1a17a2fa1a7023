"""Runs, their steps, holds and logs read from a database."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from chains.language.ast import Phase
from chains.runs.holds import RunHold
from chains.runs.records import LogLine, Past, Run, StepRow
from chains.runs.states import Status
from storage.database.database import Database
from storage.runs.rows import BRIEF, OPEN, STEPS, WHOLE, line_of, run_of, step_of
from vfs.errors import NotFound

_INSIDE = f"{WHOLE} JOIN run t ON t.key = r.top WHERE r.id = ? AND r.top IS NOT NULL AND t.job = ?"
_NESTED = f"{WHOLE} WHERE r.id = ? AND r.top IS NOT NULL AND r.job = ?"
PAST = (
    "SELECT key, id, coalesce(started_on, created_on), trigger, caller, duration, status, started_on FROM run"
    " WHERE job = ? AND parent IS NULL AND key < ? ORDER BY key DESC LIMIT ?"
)
NEWEST = "SELECT max(key) FROM run WHERE job = ? AND parent IS NULL"
# With the plus, what is looked up are the few runs that go on, and not the many of the job.
GOING = f"SELECT key, started_on FROM run WHERE {OPEN} AND +job = ? AND top IS NULL ORDER BY key"
BEYOND = 1 << 62


class StoredRunReader:
    """chains.runs.ports.RunReader over a database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, job: int, id: str) -> Run | None:
        row = self._database.row(f"{WHOLE} WHERE r.job = ? AND r.id = ? AND r.parent IS NULL", job, id)
        row = row or self._database.row(_INSIDE, id, job)
        return run_of(row) if row else None

    def get_child(self, job: int, id: str) -> Run | None:
        row = self._database.row(_NESTED, id, job)
        return run_of(row) if row else None

    def children(self, run: int) -> Sequence[Run]:
        return [run_of(row) for row in self._database.rows(f"{WHOLE} WHERE r.top = ? ORDER BY r.key", run)]

    def by_key(self, run: int) -> Run | None:
        row = self._database.row(f"{WHOLE} WHERE r.key = ?", run)
        return run_of(row) if row else None

    def newest(self, job: int, limit: int | None) -> Sequence[Run]:
        rows = self._database.rows(
            f"{BRIEF} WHERE r.job = ? AND r.parent IS NULL ORDER BY r.key DESC LIMIT ?",
            job, (1 << 62) if limit is None else limit,
        )  # fmt: skip
        return [run_of(row) for row in rows]

    def history(self, job: int, before: int | None, most: int) -> Sequence[Past]:
        rows: Sequence[Past] = self._database.rows(PAST, job, BEYOND if before is None else before, most)
        return rows

    def version(self, job: int) -> str | None:
        going = self._database.rows(GOING, job)
        if any(started is not None for _, started in going):
            return None
        ((newest,),) = self._database.rows(NEWEST, job)
        return f"{job}.{newest}.{'.'.join(str(key) for key, _ in going)}"

    def steps(self, run: int) -> Sequence[StepRow]:
        return [step_of(row) for row in self._database.rows(STEPS, run)]

    def lines(self, run: int, after: int = 0) -> Sequence[LogLine]:
        rows = self._database.rows(
            "SELECT seq, time, severity, message FROM run_line WHERE run = ? AND seq > ? ORDER BY seq",
            run,
            after,
        )
        return [line_of(row) for row in rows]

    def holds(self, run: int) -> Sequence[RunHold]:
        rows = self._database.rows(
            "SELECT step, phase, waiting_since, settled_at, outcome, settled_by, space, frozen FROM hold"
            " WHERE run = ? ORDER BY waiting_since, step, phase",
            run,
        )
        return [RunHold(step, Phase(phase), *rest) for step, phase, *rest in rows]

    def failures(self, job: int) -> int:
        rows = self._database.rows(
            "SELECT status FROM run WHERE job = ? AND parent IS NULL AND trigger = 'schedule'"
            " AND status IN ('success', 'failed') ORDER BY key DESC LIMIT 100",
            job,
        )
        return sum(1 for _ in itertools.takewhile(lambda row: row[0] == Status.FAILED, rows))


def find_run(database: Database, run: int) -> Run:
    """The run by its number. Raises NotFound."""
    found = StoredRunReader(database).by_key(run)
    if found is None:
        raise no_run(run)
    return found


def find_status(database: Database, run: int) -> Status:
    """The status of a run. Raises NotFound."""
    row = database.row("SELECT status FROM run WHERE key = ?", run)
    if row is None:
        raise no_run(run)
    return Status(row[0])


def no_run(run: int) -> NotFound:
    """The refusal of a number that no run has."""
    return NotFound(f"There is no run number {run} any more.")
