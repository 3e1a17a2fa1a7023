"""Counts of the runs of jobs by the day: the port that keeps them, and those of a month as one number."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Protocol

from chains.runs.states import Status

TRIGGERS = ("api", "schedule", "email")
OUTCOMES = (Status.SUCCESS, Status.FAILED)
COUNTERS = (*TRIGGERS, *OUTCOMES)

# A month stands as one unsigned number: 32 bits for each counter of each day, the first day lowest. Months of
# many jobs are then added by adding numbers, and nothing overflows below 4 billion runs a day.
LANE = 32
DAYS = 31
SIZE = DAYS * len(COUNTERS) * LANE // 8
LAYOUT = struct.Struct(f"<{DAYS * len(COUNTERS)}I")


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


def unit(counter: str, created_on: str) -> int:
    """One of a counter, on the day of a time stamp, as a number to add to its month."""
    day = int(created_on[8:10]) - 1
    return 1 << (LANE * (len(COUNTERS) * day + COUNTERS.index(counter)))


def pack_month(month: int) -> bytes:
    """The number of a month as bytes of one length."""
    return month.to_bytes(SIZE, "little")


def unpack_month(stored: bytes) -> int:
    """The number again."""
    return int.from_bytes(stored, "little")


def days_of(month: str, number: int) -> Iterator[Day]:
    """The days of a month (`2026-11`) that have counts."""
    counts = LAYOUT.unpack(pack_month(number))
    width = len(COUNTERS)
    for day in range(DAYS):
        of_day = counts[day * width : (day + 1) * width]
        if any(of_day):
            yield Day(f"{month}-{day + 1:02}", *of_day)
