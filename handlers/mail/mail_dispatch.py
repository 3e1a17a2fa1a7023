"""Dispatch of mails: carries out orders, and sends due messages until the relay's final response."""

from __future__ import annotations

import logging
import random
from datetime import datetime, timedelta

from handlers.mail.dkim_signing import Sign, signer_of
from handlers.mail.outgoing import (
    Deliver,
    RelayRefusal,
    RelaySession,
    is_final,
    relay_session,
)
from handlers.services.documents.document_recipe import MailRecipe
from handlers.services.due_dispatch import DispatchLoop, answer_later, seconds_until
from handlers.services.mails.mail_orders import LEASE as ORDER_LEASE
from handlers.services.mails.mail_orders import carry_out
from handlers.services.mails.service_message import load_message
from handlers.services.world import World
from handlers.words.mail_message import MailMessage, MessageRecipient
from vfs.cause import DONE, caused_by
from vfs.errors import Unavailable
from vfs.ports.clock import stamp
from vfs.ports.mails import DeliveryAnswer, MailOutbox, MessageDelivery, MessageQueue, QueuedMessage

AT_ONCE = 100
LEASE = timedelta(minutes=15)
"""Time after which a message that a process took and did not settle is due again."""
HANDING = timedelta(minutes=4)
"""Part of a lease in which sending may begin; a relay has ten minutes to respond to the last message."""

Due = MessageDelivery | QueuedMessage
"""A message without a final response of the relay: of a user's mail, or of the service."""

log, done = logging.getLogger("curlew"), logging.getLogger(DONE)


def dispatch_of(world: World) -> MailDispatch:
    """Return the dispatch for the settings. Raises SettingsError if they are malformed."""
    settings = world.service.settings
    return MailDispatch(world, relay_session(settings), signer_of(settings))


class MailDispatch(DispatchLoop):
    """Sends the mails of users, a few messages of each mail at a time, and those of the service.

    A message is marked as taken before it is sent, and settled after the relay has responded. After a crash
    between the two it is due again, with the same Message-ID.
    """

    def __init__(self, world: World, session: RelaySession, sign: Sign = bytes) -> None:
        super().__init__(world.social.mails, "mails")
        self._world = world
        self._session = session
        self._sign = sign
        self._chance = random.Random()
        self._mails, self._messages = world.social.mails, world.social.messages
        # Keep the last mail, because most messages that are due together belong to one mail.
        self._kept: tuple[int, MailMessage | None] = (0, None)

    def round(self) -> float | None:
        """Send all due messages; return the seconds until the next one is due, None if there is none."""
        while not self._over.is_set():
            some = self._send_some(self._messages)
            if not self._send_some(self._mails) and not some:
                break
        return seconds_until(self._world.clock, (self._messages.next_due(), self._mails.next_due()))

    def _send_some(self, queue: MailOutbox | MessageQueue) -> bool:
        """Send due messages in as few sessions as possible; return whether there were any.

        If a session breaks, its current message loses an attempt. If no session can begin, all messages wait.
        """
        now = self._world.clock.now()
        left: list[Due] = list(queue.take(stamp(now), stamp(now + LEASE), AT_ONCE))
        some = bool(left)
        while left and self._may_begin(now + HANDING):
            try:
                with self._session() as deliver:
                    while left and self._may_begin(now + HANDING):
                        due = left.pop(0)
                        with caused_by(due.caused_by):
                            self._send(due, deliver)
            except RelayBreak:
                continue
            except Unavailable as error:
                log.warning("mails wait for the relay: %s", error.detail)
                for due in left:
                    self._settle(due, self._later(due, error.detail))
                return some
        for due in left:
            self._settle(due, DeliveryAnswer("due", stamp(self._world.clock.now()), counted=False))
        return some

    def _may_begin(self, end: datetime) -> bool:
        return not self._over.is_set() and self._world.clock.now() < end

    def _send(self, due: Due, deliver: Deliver) -> None:
        """Send one message, and settle it. Raises RelayBreak when the session is over."""
        try:
            message = self._message(due)
            if message is not None:
                deliver(due.address, due.message_id, self._sign(message))
            answer = DeliveryAnswer("accepted" if message is not None else "refused")
        except RelayRefusal as refusal:
            if is_final(refusal.code):
                answer = DeliveryAnswer("refused", line=f"{due.address}: refused by the relay: {refusal}")
            else:
                answer = self._later(due, str(refusal))
        except Unavailable as error:
            self._settle(due, self._later(due, error.detail))
            raise RelayBreak from error
        except ValueError as error:
            answer = DeliveryAnswer("refused", line=f"{due.address}: no message: {error}"[:300])
        self._settle(due, answer)
        done.info("the mail %s: %s", due.message_id, answer.state)

    def _message(self, due: Due) -> bytes | None:
        """Return the bytes to send; None if the message is no longer needed. Raises ValueError."""
        if isinstance(due, QueuedMessage):
            return due.message
        if self._kept[0] != due.sending:
            kept, address = self._mails.message(due.sending), self._world.service.settings.mail_from
            self._kept = (due.sending, load_message(kept, address) if kept is not None else None)
        mail = self._kept[1]
        recipient = MessageRecipient(due.address, due.message_id, due.leave)
        return mail.for_recipient(recipient) if mail is not None else None

    def _settle(self, due: Due, answer: DeliveryAnswer) -> None:
        """Record the outcome of an attempt; only the service's log mentions messages of the service."""
        if isinstance(due, MessageDelivery):
            self._mails.settle(due, answer)
            return
        if answer.line:
            log.warning("a message of the service: %s", answer.line)
        self._messages.settle(due, answer)

    def _later(self, due: Due, reason: str) -> DeliveryAnswer:
        said = f"{due.address}: not taken yet: {reason}"
        return answer_later(self._world.clock, self._chance, due.tries, said)


class RelayBreak(Exception):
    """Raised when a session with the relay ends before all messages are sent."""


class OrderDispatch(DispatchLoop):
    """Sends ordered mails, each rendered outside of transactions, and sent by only one process."""

    def __init__(self, world: World, recipe: MailRecipe) -> None:
        super().__init__(world.social.mails, "ordered mails")
        self._world = world
        self._recipe = recipe

    def round(self) -> float | None:
        """Carry out all due orders; return the seconds until the next one is due, None if there is none."""
        mails, clock = self._world.social.mails, self._world.clock
        while not self._over.is_set():
            now = clock.now()
            orders = mails.take_orders(stamp(now), stamp(now + ORDER_LEASE), 1)
            if not orders:
                break
            with caused_by(orders[0].caused_by):
                carry_out(self._world, self._recipe, orders[0])
        return seconds_until(clock, (mails.next_order(),))
