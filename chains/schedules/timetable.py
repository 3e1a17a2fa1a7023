"""The ports of schedules, of the events that trigger jobs, and of the process that leads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import NamedTuple, Protocol

from chains.language.schedule import Schedule
from chains.language.trigger_lines import TriggerKind
from vfs.ports.items import Item, ItemName
from vfs.ports.wake_signal import WakeSignal

LATEST = timedelta(hours=1)
SCHEDULE, SNAPSHOTS = "config/schedule", "config/snapshots"
"""The files of items with a schedule: of runs and mails, and of snapshots."""


@dataclass(frozen=True, slots=True)
class Due:
    """An item whose time `planned` (a stamp) by its file `rel` has come.

    Items of a `locked` owner are not fired.
    """

    item: Item
    schedule: Schedule
    planned: str
    locked: bool = False
    rel: str = SCHEDULE

    @property
    def key(self) -> tuple[int, str]:
        """The schedule: an item and its file."""
        return self.item.id, self.rel


@dataclass(frozen=True, slots=True)
class Firing:
    """The decision about a due item: the time `at` for which it is fired, if any, and the next time."""

    due: Due
    at: datetime | None
    next: datetime


def firing(due: Due, now: datetime) -> Firing:
    """Return the decision at `now` about a due job.

    Of several missed times only the last one gets a run, if it is less than an hour late (decisions 28).
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
    """Return a stamp as a datetime in UTC."""
    return datetime.fromisoformat(stamped).astimezone(UTC)


class Schedules(WakeSignal, Protocol):
    """An index of items with a schedule, by their next times.

    All methods are safe in any thread and process; each is its own transaction unless the caller opened one.
    """

    def set(self, job: int, text: str, enabled: bool, rel: str = SCHEDULE) -> None:
        """Store a schedule of an item and whether it is enabled; wake the waiting thread after a change.

        An unchanged text keeps its planned time. Raises Mistake for an invalid schedule.
        """

    def rebuild(self) -> None:
        """Store the schedules of all jobs again; if the clock was set back, plan them again."""

    def replan(self) -> None:
        """Plan every job again from now, because the clock was set back."""

    def due(self, now: datetime, most: int) -> Sequence[Due]:
        """Return jobs with a planned time of `now` or earlier, earliest first."""

    def take(self, firings: Sequence[Firing]) -> Sequence[Firing]:
        """Plan each job's next time, and record the time at which it fires. Return the jobs taken.

        Call it in the transaction that records the runs. Each job is taken by one caller only, and not if
        its planned time has changed, or if that time already has its run.
        """

    def last_fired(self, job: int, before: str) -> str | None:
        """Return the last time up to the stamp `before` that has its run."""

    def first(self) -> str | None:
        """Return the earliest planned time, a stamp; None if nothing is scheduled."""

    def forget(self, before: datetime) -> None:
        """Delete records of firings before a moment."""


class Lead(Protocol):
    """The election of the one process that fires due jobs."""

    def mine(self) -> bool:
        """Return whether this process leads, taking the lead if it is free. Never waits."""

    def release(self) -> None:
        """Release the lead if this process has it."""


class TriggerEvent(NamedTuple):
    """An event of the item `subject`, which a line of the job may name.

    `cause` is the number of the build or the run, or the request that wrote to a space. `journal` are the
    changes of the space, as ranges `4-4,7-9`. `tries` counts the attempts at it. `caused_by`: words for its
    cause (vfs.cause), of the first of several.
    """

    id: int
    job: int
    kind: TriggerKind
    subject: int
    cause: str
    journal: str
    happened_on: str
    tries: int
    caused_by: str = ""

    @property
    def changes(self) -> list[tuple[int, int]]:
        """The first and last number of each range of the journal."""
        pairs = (pair.split("-") for pair in self.journal.split(",") if pair)
        return [(int(first), int(last)) for first, last in pairs]


class LastFiring(NamedTuple):
    """The last event that matched a line of a job: its time, and its run or why there is none."""

    line: str
    settled_on: str
    run: int | None
    note: str


class TriggerEvents(WakeSignal, Protocol):
    """The store of events for the jobs whose config/triggers name their items."""

    def add(self, kind: TriggerKind, subject: int, cause: str, journal: str = "") -> None:
        """Store an event for each enabled job that names the item, in the transaction of the change.

        All writes of one request to a space within a second are one event. While many events of a job wait,
        all writes to a space are one.
        """

    def take(self, now: str, until: str, most: int) -> Sequence[TriggerEvent]:
        """Return events that are due, oldest first; they are due again after `until` unless settled."""

    def postpone(self, event: TriggerEvent, due_on: str, note: str) -> None:
        """Make an event due again at a time."""

    def settle(self, event: TriggerEvent, line: str = "", run: int | None = None, note: str = "") -> bool:
        """End an event. Return False if another process did so, or if more was written to it meanwhile.

        Call it in the transaction that makes the run. With a line it is kept as the line's last firing.
        """

    def waiting(self, job: int) -> int:
        """Return the number of events of a job that are not settled."""

    def drop(self, job: int) -> int:
        """Delete the waiting events of a job; return their number."""

    def last(self, job: int) -> Mapping[str, LastFiring]:
        """Return the last firing of each line of a job."""

    def naming(self, named: ItemName, rel: str, most: int) -> Sequence[tuple[int, str]]:
        """Return jobs whose file `rel` names an item, by id, with the text of that file."""

    def next_due(self) -> str | None:
        """Return the stamp at which the next event is due."""
