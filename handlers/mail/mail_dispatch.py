"""Dispatch of mails: sends due messages to the relay, until its final answer on each recipient."""

from __future__ import annotations

import logging
import random
from datetime import datetime, timedelta

from handlers.mail.dkim_signing import Sign, signer_of
from handlers.mail.message_relay import (
    Deliver,
    RelayRefusal,
    RelaySession,
    is_final,
    relay_session,
)
from handlers.mail.message_sources import MailSource, MessageSource, ServiceSource, T
from handlers.services.due_dispatch import DispatchLoop, answer_later, seconds_until
from handlers.services.world import World
from vfs.cause import DONE, caused_by
from vfs.errors import Unavailable
from vfs.ports.clock import stamp
from vfs.ports.mails import DeliveryAnswer

AT_ONCE = 100
LEASE = timedelta(minutes=15)
"""Time after which a message that a process took and never settled is due again."""
HANDING = timedelta(minutes=4)
"""The part of a lease in which sending may begin: a relay has ten minutes for the last message."""

log, done = logging.getLogger("curlew"), logging.getLogger(DONE)


def dispatch_of(world: World) -> MailDispatch:
    """Return the dispatch of the settings. Raises SettingsError when they are malformed."""
    settings = world.service.settings
    return MailDispatch(world, relay_session(settings), signer_of(settings))


class MailDispatch(DispatchLoop):
    """Sends the mails of users, a few messages of each mail at a time, and those of the service.

    A message is marked as taken before it is sent and settled once the relay has answered: after a crash
    between the two it is due again, with the same Message-ID.
    """

    def __init__(self, world: World, session: RelaySession, sign: Sign = bytes) -> None:
        super().__init__(world.social.mails, "mails")
        self._world = world
        self._session = session
        self._sign = sign
        self._chance = random.Random()
        self._mails, self._messages = MailSource(world), ServiceSource(world)

    def round(self) -> float | None:
        """Send all due messages; return the seconds until the next one is due, None if there is none."""
        while not self._over.is_set():
            some = self._send_some(self._messages)
            if not self._send_some(self._mails) and not some:
                break
        return seconds_until(self._world.clock, (self._messages.next_due(), self._mails.next_due()))

    def _send_some(self, source: MessageSource[T]) -> bool:
        """Send due messages in as few sessions as possible; return whether there were any.

        When a session breaks, its present message loses an attempt; when none can begin, all wait.
        """
        now = self._world.clock.now()
        left = list(source.take(stamp(now), stamp(now + LEASE), AT_ONCE))
        some = bool(left)
        while left and self._may_begin(now + HANDING):
            try:
                with self._session() as deliver:
                    while left and self._may_begin(now + HANDING):
                        due = left.pop(0)
                        with caused_by(due.caused_by):
                            self._send(source, due, deliver)
            except RelayBreak:
                continue
            except Unavailable as error:
                log.warning("mails wait for the relay: %s", error.detail)
                for due in left:
                    source.settle(due, self._later(due, error.detail))
                return some
        for due in left:
            source.settle(due, DeliveryAnswer("due", stamp(self._world.clock.now()), counted=False))
        return some

    def _may_begin(self, end: datetime) -> bool:
        return not self._over.is_set() and self._world.clock.now() < end

    def _send(self, source: MessageSource[T], due: T, deliver: Deliver) -> None:
        """Send one message, and settle it. Raises RelayBreak when the session is over."""
        try:
            message = source.message(due)
            if message is not None:
                deliver(due.address, due.message_id, self._sign(message))
            answer = DeliveryAnswer("accepted" if message is not None else "refused")
        except RelayRefusal as refusal:
            if is_final(refusal.code):
                answer = DeliveryAnswer("refused", line=f"{due.address}: refused by the relay: {refusal}")
            else:
                answer = self._later(due, str(refusal))
        except Unavailable as error:
            source.settle(due, self._later(due, error.detail))
            raise RelayBreak from error
        except ValueError as error:
            answer = DeliveryAnswer("refused", line=f"{due.address}: no message: {error}"[:300])
        source.settle(due, answer)
        done.info("the mail %s: %s", due.message_id, answer.state)

    def _later(self, due: T, reason: str) -> DeliveryAnswer:
        said = f"{due.address}: not taken yet: {reason}"
        return answer_later(self._world.clock, self._chance, due.tries, said)


class RelayBreak(Exception):
    """Raised when a session with the relay ends before all messages are sent."""
