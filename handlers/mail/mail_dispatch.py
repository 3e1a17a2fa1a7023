"""Dispatch of mails: hands the messages of the outbox to the relay, each until its recipient's last word."""

from __future__ import annotations

import logging
import random
import threading
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta

from handlers.mail.message_relay import Deliver, RelayRefusal, RelaySession
from handlers.mail.retry_times import MOST_TRIES, delay_after, is_final
from handlers.render.mails.message import MailMessage, MessageRecipient
from handlers.services.mails.stored_message import load_message
from handlers.services.world import World
from vfs.errors import Unavailable, VfsError
from vfs.ports.mails import DeliveryAnswer, MessageDelivery
from vfs.ports.world import stamp

AT_ONCE = 100
LEASE = timedelta(minutes=10)
"""Time after which a message that somebody took and never settled is due again."""
WAIT_SECONDS = 60.0
LONGEST_WAIT = 300.0

log = logging.getLogger("curlew")


class MailDispatch:
    """Sends the mails of users, a few messages of each sending at a time.

    A message is marked as taken before it leaves and settled once the relay answered: whatever dies between
    the two leaves it due again, under the same Message-ID.
    """

    def __init__(self, world: World, session: RelaySession, chance: random.Random | None = None) -> None:
        self._world = world
        self._session = session
        self._chance = chance or random.Random()
        self._over = threading.Event()
        self._kept: tuple[int, MailMessage | None] = (0, None)

    def loop(self) -> None:
        """Send until `stop` is called."""
        seen = 0
        while not self._over.is_set():
            try:
                seen = self._world.social.mails.wake(seen, self.round())
            except VfsError as error:
                log.warning("mails wait: %s", error.detail)
                self._over.wait(WAIT_SECONDS)

    def stop(self) -> None:
        """End the loop; from any thread."""
        self._over.set()
        with suppress(VfsError):
            self._world.social.mails.ring()

    def round(self) -> float | None:
        """Send all that is due now; seconds until something is due again, None if nothing is."""
        outbox, clock = self._world.social.mails, self._world.clock
        while not self._over.is_set():
            now = clock.now()
            taken = outbox.take(stamp(now), stamp(now + LEASE), AT_ONCE)
            if not taken:
                break
            self._send_all(taken)
        due = outbox.next_due()
        if due is None:
            return None
        seconds = (datetime.fromisoformat(due) - clock.now()).total_seconds()
        return min(max(seconds, 0.05), LONGEST_WAIT)

    def _send_all(self, taken: Sequence[MessageDelivery]) -> None:
        """Hand messages over in one session; where it cannot begin or breaks, what is left is due later."""
        left = list(taken)
        try:
            with self._session() as deliver:
                while left and not self._over.is_set():
                    self._world.social.mails.settle(left[0], self._send(left[0], deliver))
                    del left[0]
        except Unavailable as error:
            log.warning("mails wait for the relay: %s", error.detail)
            for delivery in left:
                self._world.social.mails.settle(delivery, self._later(delivery, error.detail))

    def _send(self, delivery: MessageDelivery, deliver: Deliver) -> DeliveryAnswer:
        """Hand one message over. Raises Unavailable when the relay is away."""
        message = self._message(delivery.sending)
        if message is None:
            return DeliveryAnswer("refused")
        try:
            recipient = MessageRecipient(delivery.address, delivery.message_id, delivery.leave)
            deliver(delivery, message.for_recipient(recipient))
        except RelayRefusal as refusal:
            if is_final(refusal.code):
                return DeliveryAnswer("refused", line=f"{delivery.address}: refused by the relay: {refusal}")
            return self._later(delivery, str(refusal))
        except ValueError as error:
            return DeliveryAnswer("refused", line=f"{delivery.address}: no message: {error}"[:300])
        return DeliveryAnswer("accepted")

    def _later(self, delivery: MessageDelivery, reason: str) -> DeliveryAnswer:
        """Another try, or none after the last one."""
        delay = delay_after(delivery.tries + 1, self._chance)
        said = f"{delivery.address}: not taken yet: {reason}"
        if delay is None:
            return DeliveryAnswer("refused", line=f"{said}; given up after {MOST_TRIES} tries")
        due = stamp(self._world.clock.now() + delay)
        return DeliveryAnswer("due", due, f"{said}; tried again at {due}")

    def _message(self, sending: int) -> MailMessage | None:
        """The mail of a sending; the last one is kept, as most messages that are due together are its."""
        if self._kept[0] != sending:
            kept = self._world.social.mails.message(sending)
            address = self._world.service.settings.mail_from
            self._kept = (sending, load_message(kept, address) if kept is not None else None)
        return self._kept[1]
