"""Counts of the runs of jobs by the day, and the port that keeps them."""

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
    """The top-level runs that began on a UTC day by trigger, and how many of them ended well or failed."""

    day: str
    api: int = 0
    schedule: int = 0
    email: int = 0
    success: int = 0
    failed: int = 0

    @property
    def total(self) -> int:
        """All of them, whatever became of them."""
        return self.api + self.schedule + self.email


class Activity(Protocol):
    """Counts the top-level runs of jobs, within the transactions that record them, by the day."""

    def count_start(self, jobs: Sequence[int], trigger: str, created_on: str) -> None:
        """A run of each of the jobs was recorded; within a transaction."""
        ...

    def count_end(self, job: int, status: Status, created_on: str) -> None:
        """A run that was recorded at `created_on` has ended; within a transaction."""
        ...

    def forget(self, job: int) -> None:
        """The job is gone."""
        ...

    def days(self, org: str, caller: str, first: date, last: date) -> Sequence[Day]:
        """The days with runs from `first` to `last`, in order; one statement.

        Counted are the jobs that are shared readable (`r`) with groups of the organisation (its name) in
        which the caller and the job's owner are members, each once.
        """
        ...
