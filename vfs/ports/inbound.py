"""The port to mails that came in: kept from before they were accepted until they are handled and answered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from vfs.ports.blobs import Ref


class InboundState(StrEnum):
    """States of a mail that came in: it waits, it was kept and starts nothing, or it started runs."""

    NEW = "new"
    KEPT = "kept"
    STARTED = "started"


@dataclass(frozen=True, slots=True)
class NewInbound:
    """A mail for a group, whose item is `item`: its message, and its envelope as JSON."""

    item: int
    group_ref: str
    address: str
    envelope: str
    message: Ref


@dataclass(frozen=True, slots=True)
class InboundMail:
    """A mail that came in for a group at `address`. `note`: what became of it, settled at `settled_on`.

    `sender`: the account that is proved to have sent it. `message_id`: the identity under which it was
    admitted. Both are "" until then.
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


class InboundMails(Protocol):
    """Keeps mails that came in. What is written is durable when the outermost transaction ends."""

    def accept(self, mail: NewInbound) -> int:
        """Keep a mail that is to be handled; its number.

        Of the mails of a group that started nothing, or whose runs are answered, the newest stay, within what
        a group may keep. Raises QuotaReached when too many mails of the group wait.
        """
        ...

    def take(self, now: str, until: str, most: int) -> Sequence[InboundMail]:
        """Mails that wait and are due, oldest first, which are due again at `until` unless settled."""
        ...

    def postpone(self, mail: InboundMail, due_on: str, note: str) -> None:
        """Have a mail wait until a time stamp."""
        ...

    def is_first(self, mail: InboundMail, sender: str, message_id: str) -> bool:
        """Whether an account's message comes to this group for the first time; notes that it came."""
        ...

    def keep(self, mail: InboundMail, note: str) -> None:
        """Settle a mail that starts nothing."""
        ...

    def start(self, mail: InboundMail, sender: str, message_id: str, note: str, runs: Sequence[int]) -> None:
        """Settle a mail with the runs that it started."""
        ...

    def ended_runs(self, most: int) -> Sequence[tuple[InboundMail, int]]:
        """Runs that have ended, or are gone, and are not answered yet, each with its mail."""
        ...

    def answer(self, mail: InboundMail, run: int) -> bool:
        """Note that a run is answered; False when it was."""
        ...

    def next_due(self) -> str | None:
        """The time stamp at which the next mail is due."""
        ...

    def of(self, item: int, most: int) -> Sequence[InboundMail]:
        """The newest mails of a group."""
        ...

    def find(self, item: int, id: int) -> InboundMail | None:
        """The mail of a group with that number."""
        ...

    def run_counts(self, mail: InboundMail) -> tuple[int, int]:
        """The number of runs that a mail started, and of those that are answered."""
        ...

    def remove(self, mail: InboundMail) -> bool:
        """Take a mail away; False for one that waits, or that has an unanswered run.

        That the message came is remembered: it starts nothing when it comes again.
        """
        ...

    def prune(self, before: str) -> int:
        """Forget settled mails of before a time stamp, and that they came; how many."""
        ...

    def wake(self, seen: int, seconds: float | None) -> int:
        """Block until there may be something to do; a number to pass as `seen` the next time.

        Start with 0, which returns at once. What happens after a call returns makes the next one return at
        once.
        """
        ...

    def signal(self) -> None:
        """Wake who waits."""
        ...
