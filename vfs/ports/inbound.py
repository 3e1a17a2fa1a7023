"""The port of incoming mails: each is stored before it is accepted, until it is answered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from vfs.ports.blobs import Ref
from vfs.ports.wake_signal import WakeSignal


class InboundState(StrEnum):
    """States of an incoming mail: it waits, it was kept without starting a run, or it started runs."""

    NEW = "new"
    KEPT = "kept"
    STARTED = "started"


@dataclass(frozen=True, slots=True)
class NewInbound:
    """A mail for the group whose item is `item`: its message, and its envelope as JSON."""

    item: int
    group_ref: str
    address: str
    envelope: str
    message: Ref


@dataclass(frozen=True, slots=True)
class InboundMail:
    """An incoming mail for a group at `address`. `note`: its result, set at `settled_on`.

    `sender`: the account that is proved to have sent it. `message_id`: the identity under which it was
    accepted. Both are "" until then. `caused_by`: words for the session that delivered it (vfs.cause).
    """

    id: int
    item: int
    group_ref: str
    address: str
    envelope: str
    message: Ref
    received_on: str
    state: InboundState
    note: str
    sender: str
    message_id: str
    tries: int
    settled_on: str | None
    caused_by: str = ""


class InboundMails(WakeSignal, Protocol):
    """The store of incoming mails. Writes are durable when the outermost transaction ends."""

    def accept(self, mail: NewInbound) -> int:
        """Store a mail for later handling, and return its number.

        Of the group's mails that started no runs, or whose runs are all answered, only the newest are kept,
        within the limits of a group. Raises QuotaReached when too many mails of the group wait.
        """

    def take(self, now: str, until: str, most: int) -> Sequence[InboundMail]:
        """Return waiting mails that are due, oldest first. They are due again at `until` unless settled."""

    def postpone(self, mail: InboundMail, due_on: str, note: str) -> None:
        """Postpone a mail to a time stamp."""

    def is_first(self, mail: InboundMail, sender: str, message_id: str) -> bool:
        """Return whether this is an account's first mail of that id to this group, and record it."""

    def keep(self, mail: InboundMail, note: str) -> None:
        """Settle a mail that starts no run."""

    def start(self, mail: InboundMail, sender: str, message_id: str, note: str, runs: Sequence[int]) -> None:
        """Settle a mail with the runs that it started."""

    def ended_runs(self, most: int) -> Sequence[tuple[InboundMail, int]]:
        """Return runs that have ended or are gone but are not answered yet, each with its mail."""

    def answer(self, mail: InboundMail, run: int) -> bool:
        """Record that a run is answered. Return False if it was answered before."""

    def next_due(self) -> str | None:
        """Return the time stamp at which the next mail is due."""

    def of(self, item: int, most: int) -> Sequence[InboundMail]:
        """Return the newest mails of a group."""

    def find(self, item: int, id: int) -> InboundMail | None:
        """Return the mail of a group with that number, or None."""

    def run_counts(self, mail: InboundMail) -> tuple[int, int]:
        """Return the number of runs that a mail started, and of those that are answered."""

    def remove(self, mail: InboundMail) -> bool:
        """Remove a mail. Return False for one that waits or has an unanswered run.

        Its identity is kept, so the same mail starts nothing if it arrives again.
        """

    def prune(self, before: str) -> int:
        """Delete settled mails, and identities, from before a time stamp. Return the number of mails."""
