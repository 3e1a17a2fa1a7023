"""Dispatch of orders: sends the mails that a schedule or a run has ordered, one after the other."""

from __future__ import annotations

import logging
import threading
from contextlib import suppress
from datetime import datetime

from handlers.services.mails.mail_orders import LEASE, carry_out
from handlers.services.mails.mail_recipe import MailRecipe
from handlers.services.world import World
from vfs.errors import VfsError
from vfs.ports.clock import stamp

RETRY_SECONDS = 5.0
LONGEST_WAIT = 300.0

log = logging.getLogger("curlew")


class OrderDispatch:
    """Sends ordered mails; each is drawn outside of transactions, and sent by one process only."""

    def __init__(self, world: World, recipe: MailRecipe) -> None:
        self._world = world
        self._recipe = recipe
        self._over = threading.Event()

    def loop(self) -> None:
        """Send until `stop` is called."""
        seen = 0
        while not self._over.is_set():
            try:
                seen = self._world.social.mails.wake(seen, self.round())
            except VfsError as error:
                log.warning("ordered mails wait: %s", error.detail)
                self._over.wait(RETRY_SECONDS)

    def stop(self) -> None:
        """End the loop; from any thread."""
        self._over.set()
        with suppress(VfsError):
            self._world.social.mails.signal()

    def round(self) -> float | None:
        """Carry out all due orders; return the seconds until the next one is due, None if there is none."""
        mails = self._world.social.mails
        while not self._over.is_set():
            now = self._world.clock.now()
            orders = mails.take_orders(stamp(now), stamp(now + LEASE), 1)
            if not orders:
                break
            carry_out(self._world, self._recipe, orders[0])
        due = mails.next_order()
        if due is None:
            return None
        seconds = (datetime.fromisoformat(due) - self._world.clock.now()).total_seconds()
        return min(max(seconds, 0.05), LONGEST_WAIT)
