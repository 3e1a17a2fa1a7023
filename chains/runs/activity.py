"""Daily counts of the runs of jobs, and the port that stores them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Protocol

from chains.runs.states import Status

TRIGGERS = ("api", "schedule", "email")
OUTCOMES = (Status.SUCCESS, Status.FAILED)
COUNTERS = (*TRIGGERS, *OUTCOMES)


@dataclass(frozen=True, slots=True)
class Day:
    """The top-level runs that began on a UTC day, by trigger, and how many succeeded or failed."""

    day: str
    api: int = 0
    schedule: int = 0
    email: int = 0
    success: int = 0
    failed: int = 0

    @property
    def total(self) -> int:
        """The number of all runs of the day, with any status."""
        return self.api + self.schedule + self.email


class Activity(Protocol):
    """Counters of the top-level runs of jobs by day, changed in the transactions that record the runs."""

    def count_start(self, jobs: Sequence[int], trigger: str, created_on: str) -> None:
        """Count a recorded run for each of the jobs. Called within a transaction."""

    def count_end(self, job: int, status: Status, created_on: str) -> None:
        """Count the end of a run that was recorded at `created_on`. Called within a transaction."""

    def forget(self, job: int) -> None:
        """Remove the counts of a job that was removed."""

    def days(self, org: str, caller: str, first: date, last: date) -> Sequence[Day]:
        """Return the days with runs from `first` to `last`, in order; one statement.

        Counts each job once that is shared readable (`r`) with a group of the organisation `org` in which the
        caller and the job's owner are members.
        """
