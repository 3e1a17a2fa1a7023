"""The ports of outgoing mails: sendings of mail items, and messages of the service itself."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Protocol

from vfs.ports.wake_signal import WakeSignal


@dataclass(frozen=True, slots=True)
class MailSending:
    """A sending of the mail `item`, `open` until it is `sent` or `failed`; a `test` goes to its owner only.

    `digest` identifies its content. At the end, `accepted` and `refused` count its recipients.
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
        """The word for it in the mail's status."""
        return ("testing" if self.test else "sending") if self.state == "open" else self.state


@dataclass(frozen=True, slots=True)
class MailOrder:
    """An order to send a mail `item` for a `cause`. It is due at `due_on` unless taken.

    With the name of a `snapshot`, it is an order to make one of the item, with all that the owner and all
    `people` (separated by blanks) may see. `caused_by`, here and below: words for its cause (vfs.cause).
    """

    id: int
    item: int
    cause: str
    made_on: str
    due_on: str
    snapshot: str = ""
    people: str = ""
    caused_by: str = ""


@dataclass(frozen=True, slots=True)
class MessageDelivery:
    """A message to one recipient, ready to be sent; `leave` is where the recipient unsubscribes."""

    id: int
    sending: int
    address: str
    message_id: str
    leave: str
    tries: int
    caused_by: str = ""


@dataclass(frozen=True, slots=True)
class NewDelivery:
    """A recipient of a new sending, with the id of its message."""

    address: str
    message_id: str
    leave: str


@dataclass(frozen=True, slots=True)
class DeliveryAnswer:
    """The result of an attempt: `accepted`, `refused` permanently, or `due` again at a time stamp.

    `counted`: whether it counts as an attempt. A message that was given back without one does not.
    """

    state: str
    due_on: str = ""
    line: str = ""
    counted: bool = True


class MailOutbox(WakeSignal, Protocol):
    """The store of sendings. Writes are durable when the outermost transaction ends."""

    def start(
        self, item: int, *, test: bool, digest: str, message: bytes, recipients: Sequence[NewDelivery]
    ) -> MailSending:
        """Begin a sending; each recipient is due at once."""

    def of(self, item: int) -> Sequence[MailSending]:
        """Return the newest sendings of a mail, newest first."""

    def message(self, sending: int) -> bytes | None:
        """Return the mail as it is sent; None after the sending ended, or if its mail is gone."""

    def take(self, now: str, until: str, most: int) -> Sequence[MessageDelivery]:
        """Return due deliveries, a few of each sending. They are due again at `until` unless settled."""

    def settle(self, delivery: MessageDelivery, answer: DeliveryAnswer) -> None:
        """Record the result of an attempt, and end the sending after the last one."""

    def next_due(self) -> str | None:
        """Return the time stamp at which the next delivery is due."""

    def order(self, item: int, cause: str, snapshot: str = "", people: str = "") -> None:
        """Store an order to send a mail or to make a snapshot, due at once.

        The same cause counts once, even afterwards.
        """

    def take_orders(self, now: str, until: str, most: int) -> Sequence[MailOrder]:
        """Return due orders, oldest first. They are due again at `until` unless settled."""

    def settle_order(self, order: MailOrder, due_on: str | None = None) -> bool:
        """End an order, or make it due again. Return False if it was changed since it was taken."""

    def next_order(self) -> str | None:
        """Return the time stamp at which the next order is due."""

    def note(self, item: int, message: str) -> None:
        """Write a line to the log of a mail, which keeps the newest 1,000."""

    def lines(self, item: int) -> Sequence[tuple[str, str]]:
        """Return the log of a mail, oldest first: (time stamp, message)."""

    def refuse(self, owner: str, mailbox: str) -> None:
        """Record that a mailbox wants no more mails from an account."""

    def refusing(self, owner: str, mailboxes: Collection[str]) -> frozenset[str]:
        """Return the mailboxes among these that want no more mails from an account."""


@dataclass(frozen=True, slots=True)
class QueuedMessage:
    """A complete message of the service itself to one address.

    A message of a `hook` is stored with its event in place of an address (vfs.ports.hooks).
    """

    id: int
    address: str
    message_id: str
    message: bytes
    tries: int
    caused_by: str = ""
    hook: int | None = None


class MessageQueue(Protocol):
    """The store of the service's messages until they are delivered or refused by the mail dispatcher."""

    def enqueue(self, address: str, message_id: str, message: bytes) -> None:
        """Store a message, due at once. It is sent only after the outermost transaction was committed."""

    def take(self, now: str, until: str, most: int) -> Sequence[QueuedMessage]:
        """Return due messages, oldest first. They are due again at `until` unless settled."""

    def settle(self, message: QueuedMessage, answer: DeliveryAnswer) -> None:
        """Make a message due again, or delete it after its final result."""

    def next_due(self) -> str | None:
        """Return the time stamp at which the next message is due."""
