"""TriggerEvents: the port that keeps what happened until the jobs that it triggers have their runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from chains.language.trigger_lines import TriggerKind
from vfs.ports.items import ItemName
from vfs.ports.wake_signal import WakeSignal


class TriggerEvent(NamedTuple):
    """Something that happened to the item `subject` and that a line of the job may name.

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
    """The last event that fitted a line of a job: the time, the run that it started, or why there is none."""

    line: str
    settled_on: str
    run: int | None
    note: str


class TriggerEvents(WakeSignal, Protocol):
    """Stores events for the jobs whose config/triggers name what they happened to."""

    def add(self, kind: TriggerKind, subject: int, cause: str, journal: str = "") -> None:
        """Store an event for each enabled job that names the item, in the transaction of the change.

        What one request writes to a space within a second is one event. While many events of a job wait, all
        that is written to a space is one.
        """

    def take(self, now: str, until: str, most: int) -> Sequence[TriggerEvent]:
        """Return events that are due, oldest first; they are due again after `until` unless settled."""

    def postpone(self, event: TriggerEvent, due_on: str, note: str) -> None:
        """Make an event due again at a time."""

    def settle(self, event: TriggerEvent, line: str = "", run: int | None = None, note: str = "") -> bool:
        """End an event; return False if another process did so, or if more was written to it meanwhile.

        Belongs into the transaction that makes the run. With a line it is kept as the line's last firing.
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
