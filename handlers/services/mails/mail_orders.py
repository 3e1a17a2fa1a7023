"""Orders: a schedule or a run has a mail sent or a snapshot made, once, by the rules of doing it by hand."""

from __future__ import annotations

import logging
from dataclasses import replace
from datetime import datetime, timedelta

from handlers.services.documents.document_recipe import MailRecipe
from handlers.services.mailboxes import public_origin
from handlers.services.mails.send_mail import send
from handlers.services.posting import Message, post
from handlers.services.snapshots import make_snapshot
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
DRAWING_LEASE = timedelta(minutes=10)
"""The same for a snapshot."""
GIVEN_UP = timedelta(hours=1)
"""Time after which an order is given up: as for runs, an hour is too late."""
PAUSE = 5
"""Seconds until the next attempt, if the refusal names none."""
UNSENT = "unsent"

log = logging.getLogger("curlew")


class OrderSettled(Exception):
    """Raised when another process has settled the order, so that the transaction is rolled back."""


def carry_out(world: World, recipe: MailRecipe, order: MailOrder) -> None:
    """Send the mail or make the snapshot of an order, make it due again, or give it up and notify the owner.

    Either is done in the transaction that settles the order, so it is done once, whatever is killed.
    """
    found = world.items.at(order.item, None)
    if found is None:
        world.social.mails.settle_order(order)
        return
    try:
        order = _with_lease(world, order)
        _act(world, recipe, found.item, order)
    except OrderSettled:
        return
    except (Unavailable, NoSpace, TooEarly, TooMany) as refusal:
        _postpone(world, found.item, order, refusal)
    except VfsError as refusal:
        _give_up(world, found.item, order, refusal.detail)
    except Exception:
        log.exception("the order for %s/%s failed", found.item.owner, found.item.name)
        _give_up(world, found.item, order, "the server itself failed here; its log says more")


def _with_lease(world: World, order: MailOrder) -> MailOrder:
    """Return an order that is taken for long enough: pictures of a snapshot may take minutes."""
    if not order.snapshot:
        return order
    later = stamp(world.clock.now() + DRAWING_LEASE)
    if not world.social.mails.settle_order(order, later):
        raise OrderSettled
    return replace(order, due_on=later)


def _act(world: World, recipe: MailRecipe, item: Item, order: MailOrder) -> None:
    """Send the mail or make the snapshot. Raises OrderSettled, and VfsError if that is refused."""

    def settle() -> None:
        if not world.social.mails.settle_order(order):
            raise OrderSettled

    # The mail is marked as automatic, like those that steps of runs send.
    viewer = Viewer(world, item, Caller(item.owner, Via.RUN, behind=order.people.split))
    settings = world.service.settings
    if order.snapshot:
        make_snapshot(viewer, world.service.kinds[item.kind].snapshots, order.snapshot, settle)
    else:
        send(viewer, recipe, "sending", public_origin(settings, f"http://{settings.bind}"), settle)


def _postpone(world: World, item: Item, order: MailOrder, refusal: VfsError) -> None:
    later = world.clock.now() + timedelta(seconds=int(refusal.members.get("retry_after", PAUSE)))
    if later < datetime.fromisoformat(order.made_on) + GIVEN_UP:
        world.social.mails.settle_order(order, stamp(later))
    else:
        _give_up(world, item, order, refusal.detail)


def _give_up(world: World, item: Item, order: MailOrder, why: str) -> None:
    with world.atomic():
        if world.social.mails.settle_order(order):
            what = f"no snapshot {order.snapshot} was made" if order.snapshot else "not sent"
            world.social.mails.note(item.id, f"{what} ({order.cause}): {why}")
            said = f"{{page}}: {what}" if order.snapshot else "{page} was not sent"
            said = f"{said} ({order.cause}): {why}"
            post(world, Message(UNSENT, NoticeSubject(item.id), said, f"orders of {item.id}"), item.owner)
