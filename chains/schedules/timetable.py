"""Schedules and Lead: the ports through which due jobs are found, and fired by one process of many."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Protocol

from chains.language.schedule import Schedule
from vfs.ports.items import Item

LATEST = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Due:
    """A job whose planned time has come; `planned` is a stamp. The jobs of a `locked` owner rest."""

    job: Item
    schedule: Schedule
    planned: str
    locked: bool = False


@dataclass(frozen=True, slots=True)
class Firing:
    """The decision about a due job: a run for the time `at` (None: no run), and the next time."""

    due: Due
    at: datetime | None
    next: datetime


def firing(due: Due, now: datetime) -> Firing:
    """Return the decision at `now` about a job that is due.

    Of the times that were missed the last one has a run, when it is less than an hour late (decisions 28).
    """
    at = moment(due.planned)
    if now - at >= LATEST:
        at = due.schedule.after(now - LATEST)
    if at > now:
        return Firing(due, None, at)
    while (later := due.schedule.after(at)) <= now:
        at = later
    return Firing(due, None if due.locked else at, later)


def moment(stamped: str) -> datetime:
    """Return the moment of a stamp."""
    return datetime.fromisoformat(stamped).astimezone(UTC)


class Schedules(Protocol):
    """Index of the leaves config/schedule and config/enabled by the next time of each job.

    All methods may be called from any thread and any process; each is its own transaction unless the caller
    opened one.
    """

    def set(self, job: int, text: str, enabled: bool) -> None:
        """Note what a job's leaves say now, and wake the waiting thread if that changes something.

        A text that was noted before keeps its planned time. Raises Mistake when the text is no schedule.
        """
        ...

    def rebuild(self) -> None:
        """Note what the leaves of all jobs say now; after the clock was set back, plan them anew."""
        ...

    def replan(self) -> None:
        """Plan every job anew from now: the clock was set back."""
        ...

    def due(self, now: datetime, most: int) -> Sequence[Due]:
        """Return jobs whose planned time is `now` or before, the earliest first."""
        ...

    def take(self, firings: Sequence[Firing]) -> Sequence[Firing]:
        """Plan each job, none twice, for its next time, and enter the time it fires at as one with its run.

        Belongs into the transaction that records the runs.
        Those that were taken, each by one caller alone: none whose job is not planned as it was due any more,
        or whose time has its run.
        """
        ...

    def last_fired(self, job: int, before: str) -> str | None:
        """Return the last time up to the stamp `before` that has its run."""
        ...

    def first(self) -> str | None:
        """Return the earliest planned time, a stamp; None when nothing is scheduled."""
        ...

    def forget(self, before: datetime) -> None:
        """Forget which times before that moment had their runs."""
        ...

    def wake(self, seen: int, seconds: float | None) -> int:
        """Block until something was changed; a number to pass as `seen` the next time.

        Start with 0, which returns at once. What happens after a call returns makes the next one return at
        once.
        """
        ...

    def signal(self) -> None:
        """Wake who waits."""
        ...


class Lead(Protocol):
    """Elects one of many processes to fire what is due."""

    def mine(self) -> bool:
        """Whether this process has the lead; it is taken when it is free. Never waits for another process."""
        ...

    def release(self) -> None:
        """Give the lead up, when this process has it."""
        ...
