"""Sources of messages to send: mails of users, and messages of the service itself."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Generic, Protocol, TypeVar

from handlers.services.mails.service_message import load_message
from handlers.services.world import World
from handlers.words.mail_message import MailMessage, MessageRecipient
from vfs.ports.mails import DeliveryAnswer, MessageDelivery, QueuedMessage

log = logging.getLogger("curlew")


class DueMessage(Protocol):
    """A message without the relay's final answer."""

    @property
    def address(self) -> str:
        """The address of its recipient."""

    @property
    def message_id(self) -> str:
        """Its Message-ID, the same for every attempt."""

    @property
    def tries(self) -> int:
        """The failed attempts."""

    @property
    def caused_by(self) -> str:
        """Words for its cause (vfs.cause)."""


T = TypeVar("T", bound=DueMessage)


class MessageSource(Protocol, Generic[T]):
    """Provides due messages, and records the outcomes."""

    def take(self, now: str, until: str, most: int) -> Sequence[T]:
        """Take due messages; they are due again at `until` unless settled."""

    def message(self, due: T) -> bytes | None:
        """Return the bytes to send; None when there is nothing to send any more. Raises ValueError."""

    def settle(self, due: T, answer: DeliveryAnswer) -> None:
        """Record the outcome of an attempt."""

    def next_due(self) -> str | None:
        """Return the time stamp at which the next message is due."""


class MailSource:
    """Mails of users; the last one is cached, because most messages that are due together belong to it."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._kept: tuple[int, MailMessage | None] = (0, None)
        self.take = world.social.mails.take
        self.settle = world.social.mails.settle
        self.next_due = world.social.mails.next_due

    def message(self, due: MessageDelivery) -> bytes | None:
        """Return the message to one recipient."""
        if self._kept[0] != due.sending:
            kept = self._world.social.mails.message(due.sending)
            address = self._world.service.settings.mail_from
            self._kept = (due.sending, load_message(kept, address) if kept is not None else None)
        mail = self._kept[1]
        if mail is None:
            return None
        return mail.for_recipient(MessageRecipient(due.address, due.message_id, due.leave))


class ServiceSource:
    """Messages of the service; only the service's log mentions them."""

    def __init__(self, world: World) -> None:
        self._queue = world.social.messages
        self.take = self._queue.take
        self.next_due = self._queue.next_due

    def message(self, due: QueuedMessage) -> bytes:
        """Return the message as stored."""
        return due.message

    def settle(self, due: QueuedMessage, answer: DeliveryAnswer) -> None:
        """Make it due again, or delete it."""
        if answer.line:
            log.warning("a message of the service: %s", answer.line)
        self._queue.settle(due, answer)
