"""Connections between users: requests, and the shares that begin when they are accepted.

A request and a pending share name an account that may not exist. What their maker sees, and the work done
for them, are the same either way.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import timedelta
from typing import NamedTuple

from handlers.services.accounts import account_of
from handlers.services.happenings import Happening, publish
from handlers.services.notices import INVITE, SHARED, api_path
from handlers.services.posting import Message, notify, person_source, post
from handlers.services.world import World
from vfs.access import Grant
from vfs.errors import NotFound, TooMany, VfsError
from vfs.ports.clock import stamp
from vfs.ports.groups import Tie, TieKind
from vfs.ports.invitations import PendingShare
from vfs.ports.items import Item
from vfs.ports.notices import NoticeSubject
from vfs.ports.people import Limit

WAIT = timedelta(days=30)
"""How long a share waits for a connection; a later owner of the name gets no older one."""
REQUESTS, HOUR = 60, 3600
"""New requests of an account within an hour."""


def find_request(world: World, name: str, other: str) -> Tie | None:
    """Return the request of `name` to be connected that was not accepted, declined or not; else None."""
    asked = world.people.ties.find(TieKind.CONNECTION, name, other)
    if asked is not None:
        return asked if asked.pending else None
    return world.people.ties.find(TieKind.DECLINED, name, other)


def are_connected(world: World, one: str, two: str) -> bool:
    """Return whether two users are connected."""
    ties = (world.people.ties.find(TieKind.CONNECTION, *names) for names in ((one, two), (two, one)))
    return any(tie is not None and not tie.pending for tie in ties)


class Asked(NamedTuple):
    """The result of asking a user: whether the two are connected, and whether this call changed something."""

    is_connected: bool
    is_new: bool


def ask(world: World, me: str, other: str) -> Asked:
    """Ask a user to be connected; accept the user's own request if there is one.

    Raises TooMany and QuotaReached.
    """
    if are_connected(world, me, other):
        return Asked(is_connected=True, is_new=False)
    if world.people.ties.accept(TieKind.CONNECTION, other, me):
        connect(world, other, me)
        return Asked(is_connected=True, is_new=True)
    is_new = False
    if find_request(world, me, other) is None:
        if wait := world.people.rates.take([Limit(f"requests to connect by {me}", REQUESTS, HOUR)]):
            raise TooMany(f"you asked too many users: wait {wait} s, then try again", retry_after=wait)
        is_new = world.people.ties.put(TieKind.CONNECTION, me, other, pending=True)
        if is_new and world.people.ties.find(TieKind.IGNORE, other, me) is None:
            _notify(world, other, INVITE, f"@{me} asks to be connected with you.", me)
    return Asked(is_connected=False, is_new=is_new)


def connect(world: World, asker: str, accepter: str, by: str = "") -> Sequence[Item]:
    """Complete a connection that `accepter` accepted: notify the asker, begin the shares that waited for it.

    `by` ends the sentence for the asker. Return the items that are open to `accepter` from now on.
    """
    ties = world.people.ties
    for kind, name, other in (
        (TieKind.CONNECTION, accepter, asker),  # both users may have asked at the same time
        (TieKind.DECLINED, accepter, asker),
        (TieKind.DECLINED, asker, accepter),
    ):
        ties.drop(kind, name, other, pending=True)
    begun = _begin_shares(world, asker, accepter)
    opened = [item for item in begun.values() if item is not None]
    said = f"@{accepter} is connected with you now{by}."
    if opened:
        said += f" What you shared with @{accepter} is open: {_things(len(opened))}."
    if refused := len(begun) - len(opened):
        said += f" {_things(refused)} could not be shared: share again to see why."
    if any(share.created_on < account_of(world, accepter).created_on for share in begun):
        said += " The account is newer than your request: make sure that you know its owner."
    _notify(world, asker, "connected", said, accepter)
    _begin_shares(world, accepter, asker)
    return opened


def _things(number: int) -> str:
    return "1 thing" if number == 1 else f"{number} things"


def _begin_shares(world: World, owner: str, user: str) -> Mapping[PendingShare, Item | None]:
    """Begin the owner's pending shares with a user, and return them with their items, None if refused.

    Each is checked as a share of this moment; one that is refused by now ends.
    """
    account = world.people.users.find(owner)
    if account is None or account.locked:
        return {}
    begun: dict[PendingShare, Item | None] = {}
    for share in world.people.pending_shares.take(owner, user, oldest(world)):
        begun[share] = None
        with suppress(VfsError), world.atomic():
            begun[share] = begin_share(world, share)
    return begun


def oldest(world: World) -> str:
    """Return the moment before which pending shares have ended."""
    return stamp(world.clock.now() - WAIT)


def begin_share(world: World, share: PendingShare) -> Item:
    """Share an item with a user, as its owner, and return it. Raises NotFound and what refuses the share."""
    found = world.items.at(share.item, share.owner)
    if found is None or found.item.owner != share.owner:
        raise NotFound("The resource no longer exists, so nothing was shared.")
    item, kind = found.item, world.service.kinds[found.item.kind]
    target = f"@{share.user}"
    if kind.admit_share is not None:
        kind.admit_share(world.leaves, item, share.letters)
    if world.grants.give(item.id, Grant(target, share.letters, share.name)):
        notify_shared(world, item, share.user)
    world.social.actions.add(item.id, share.owner, "shared", "", target)
    publish(world, Happening("share", "share", share.owner, item.id, f"shared/{share.name}"))
    return item


def notify_shared(world: World, item: Item, user: str) -> None:
    """Notify a user of a new share by the item's owner (interface, Sharing rules 9)."""
    text = f"@{item.owner} shared the {{thing}} with you: {{letters}}."
    notify(world, item, SHARED, text, item.owner, user)


def opened_lines(world: World, items: Sequence[Item]) -> str:
    """Return a line for each item that was shared with the caller."""
    return "".join(f"shared with you: {api_path(world, item)}\n" for item in items)


def _notify(world: World, user: str, kind: str, text: str, sender: str) -> None:
    """Notify a user of something about the sender."""
    about = NoticeSubject(account_of(world, sender).item)
    post(world, Message(kind, about, text, person_source(sender)), user)
