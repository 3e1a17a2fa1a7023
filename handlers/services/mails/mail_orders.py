"""Orders of mails: a schedule or a run has a mail sent once, by the rules of a sending by hand."""

from __future__ import annotations

import logging
from datetime import datetime, timedelta

from handlers.services.mailboxes import public_origin
from handlers.services.mails.mail_recipe import MailRecipe
from handlers.services.mails.send_mail import send
from handlers.services.posting import Message, post
from handlers.services.viewer import Viewer
from handlers.services.world import World
from vfs.access import Caller, Via
from vfs.errors import NoSpace, TooEarly, TooMany, Unavailable, VfsError
from vfs.ports.clock import stamp
from vfs.ports.items import Item
from vfs.ports.mails import MailOrder
from vfs.ports.notices import NoticeSubject

LEASE = timedelta(minutes=1)
"""Time after which an order that a process took and never settled is due again."""
GIVEN_UP = timedelta(hours=1)
"""Time after which an order is given up: as for runs, an hour is too late."""
PAUSE = 5
"""Seconds until the next attempt, if the refusal names none."""
UNSENT = "unsent"

log = logging.getLogger("curlew")


class OrderSettled(Exception):
    """Raised when another process has settled the order, so that the transaction is rolled back."""


def carry_out(world: World, recipe: MailRecipe, order: MailOrder) -> None:
    """Send the mail of an order, make the order due again, or give it up and tell the owner.

    The mail begins its way in the transaction that settles the order, so it is sent once, whatever is killed.
    """
    found = world.items.at(order.item, None)
    if found is None:
        return

    def settle() -> None:
        if not world.social.mails.settle_order(order):
            raise OrderSettled

    # The mail is marked as automatic, like those that steps of runs send.
    viewer = Viewer(world, found.item, Caller(found.item.owner, Via.RUN))
    settings = world.service.settings
    try:
        send(viewer, recipe, "sending", public_origin(settings, f"http://{settings.bind}"), settle)
    except OrderSettled:
        return
    except (Unavailable, NoSpace, TooEarly, TooMany) as refusal:
        _postpone(world, found.item, order, refusal)
    except VfsError as refusal:
        _give_up(world, found.item, order, refusal.detail)
    except Exception:
        log.exception("the mail %s/%s could not be sent", found.item.owner, found.item.name)
        _give_up(world, found.item, order, "the server itself failed here; its log says more")


def _postpone(world: World, item: Item, order: MailOrder, refusal: VfsError) -> None:
    later = world.clock.now() + timedelta(seconds=int(refusal.members.get("retry_after", PAUSE)))
    if later < datetime.fromisoformat(order.made_on) + GIVEN_UP:
        world.social.mails.settle_order(order, stamp(later))
    else:
        _give_up(world, item, order, refusal.detail)


def _give_up(world: World, item: Item, order: MailOrder, why: str) -> None:
    with world.atomic():
        if world.social.mails.settle_order(order):
            world.social.mails.note(item.id, f"not sent ({order.cause}): {why}")
            said = f"{{page}} was not sent ({order.cause}): {why}"
            post(world, Message(UNSENT, NoticeSubject(item.id), said, f"orders of {item.id}"), item.owner)
