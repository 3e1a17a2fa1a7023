"""Dispatch of orders: sends the mails that a schedule or a run has ordered, one after the other."""

from __future__ import annotations

from handlers.services.documents.document_recipe import MailRecipe
from handlers.services.due_dispatch import DispatchLoop, seconds_until
from handlers.services.mails.mail_orders import LEASE, carry_out
from handlers.services.world import World
from vfs.cause import caused_by
from vfs.ports.clock import stamp


class OrderDispatch(DispatchLoop):
    """Sends ordered mails; each is drawn outside of transactions, and sent by one process only."""

    def __init__(self, world: World, recipe: MailRecipe) -> None:
        super().__init__(world.social.mails, "ordered mails")
        self._world = world
        self._recipe = recipe

    def round(self) -> float | None:
        """Carry out all due orders; return the seconds until the next one is due, None if there is none."""
        mails, clock = self._world.social.mails, self._world.clock
        while not self._over.is_set():
            now = clock.now()
            orders = mails.take_orders(stamp(now), stamp(now + LEASE), 1)
            if not orders:
                break
            with caused_by(orders[0].caused_by):
                carry_out(self._world, self._recipe, orders[0])
        return seconds_until(clock, (mails.next_order(),))
