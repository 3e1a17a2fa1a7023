"""The history of a job's runs, in a database."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from chains.runs.book import Past
from storage.database.database import Database
from storage.runs.rows import OPEN

PAST = (
    "SELECT key, id, coalesce(started_on, created_on), trigger, caller, duration, status, started_on FROM run"
    " WHERE job = ? AND parent IS NULL AND key < ? ORDER BY key DESC LIMIT ?"
)
NEWEST = "SELECT max(key) FROM run WHERE job = ? AND parent IS NULL"
# With the plus, what is looked up are the few runs that go on, and not the many of the job.
GOING = f"SELECT key, started_on FROM run WHERE {OPEN} AND +job = ? AND top IS NULL ORDER BY key"
BEYOND = 1 << 62


@dataclass(frozen=True, slots=True)
class History:
    """The part of a book of runs that tells what was."""

    database: Database

    def past(self, job: int, before: int | None, most: int) -> Sequence[Past]:
        """As RunBook.past."""
        rows: Sequence[Past] = self.database.rows(PAST, job, BEYOND if before is None else before, most)
        return rows

    def version(self, job: int) -> str | None:
        """As RunBook.version."""
        going = self.database.rows(GOING, job)
        if any(started is not None for _, started in going):
            return None
        ((newest,),) = self.database.rows(NEWEST, job)
        return f"{job}.{newest}.{'.'.join(str(key) for key, _ in going)}"
