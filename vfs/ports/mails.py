"""The ports to messages that leave: sendings of mails, and messages of the service itself."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class MailSending:
    """A sending of the mail `item`, `open` until it is `sent` or `failed`; a `test` goes to its owner alone.

    `digest` tells its content from others. At its end it counts recipients: `accepted` and `refused`.
    """

    id: int
    item: int
    test: bool
    state: str
    digest: str
    started_on: str
    ended_on: str | None
    accepted: int
    refused: int

    @property
    def status(self) -> str:
        """The word of the mail's status for it."""
        return ("testing" if self.test else "sending") if self.state == "open" else self.state


@dataclass(frozen=True, slots=True)
class MessageDelivery:
    """A message to one recipient to be handed over; `leave` is where it gets no more of them."""

    id: int
    sending: int
    address: str
    message_id: str
    leave: str
    tries: int


@dataclass(frozen=True, slots=True)
class NewDelivery:
    """A recipient of a new sending, with the identity of the message to it."""

    address: str
    message_id: str
    leave: str


@dataclass(frozen=True, slots=True)
class DeliveryAnswer:
    """The outcome of a try: `accepted`, `refused` for good, or `due` again at a time stamp.

    `counted` is whether it was one: a message that is given back as it was taken is tried as often as before.
    """

    state: str
    due_on: str = ""
    line: str = ""
    counted: bool = True


class MailOutbox(Protocol):
    """Keeps sendings. What is written is durable when the outermost transaction ends."""

    def start(
        self, item: int, *, test: bool, digest: str, message: bytes, recipients: Sequence[NewDelivery]
    ) -> MailSending:
        """Begin a sending; each recipient is due at once."""
        ...

    def of(self, item: int) -> Sequence[MailSending]:
        """The newest sendings of a mail, newest first."""
        ...

    def message(self, sending: int) -> bytes | None:
        """The mail as it is sent; None once the sending ended, or its mail is gone."""
        ...

    def take(self, now: str, until: str, most: int) -> Sequence[MessageDelivery]:
        """Deliveries that are due, a few of each sending, which are due again at `until` unless settled."""
        ...

    def settle(self, delivery: MessageDelivery, answer: DeliveryAnswer) -> None:
        """Note the outcome of a try, and end the sending after the last one."""
        ...

    def next_due(self) -> str | None:
        """The time stamp at which the next delivery is due."""
        ...

    def note(self, item: int, message: str) -> None:
        """Write a line into the log of a mail, which has the newest 1,000."""
        ...

    def lines(self, item: int) -> Sequence[tuple[str, str]]:
        """The log of a mail, oldest first: (time stamp, message)."""
        ...

    def refuse(self, owner: str, mailbox: str) -> None:
        """Note that a mailbox wants no more of an account's mails."""
        ...

    def refusing(self, owner: str, mailboxes: Collection[str]) -> frozenset[str]:
        """Find the mailboxes among these that want no more of an account's mails."""
        ...

    def wake(self, seen: int, seconds: float | None) -> int:
        """Block until there may be something to send; a number to pass as `seen` the next time.

        Start with 0, which returns at once. What happens after a call returns makes the next one return at
        once.
        """
        ...

    def signal(self) -> None:
        """Wake who waits."""
        ...


@dataclass(frozen=True, slots=True)
class QueuedMessage:
    """A message of the service itself to one address, whole as it leaves."""

    id: int
    address: str
    message_id: str
    message: bytes
    tries: int


class MessageQueue(Protocol):
    """Keeps messages of the service until their last word; the dispatcher of mails waits for both."""

    def enqueue(self, address: str, message_id: str, message: bytes) -> None:
        """Keep a message, due at once; it leaves after the outermost transaction, and not without it."""
        ...

    def take(self, now: str, until: str, most: int) -> Sequence[QueuedMessage]:
        """Messages that are due, oldest first, which are due again at `until` unless settled."""
        ...

    def settle(self, message: QueuedMessage, answer: DeliveryAnswer) -> None:
        """Have a message due again, or forget it after its last word."""
        ...

    def next_due(self) -> str | None:
        """The time stamp at which the next message is due."""
        ...
