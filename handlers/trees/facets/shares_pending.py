"""Pending shares of a resource: with users whom its owner asked to be connected, by the names of shares."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from functools import partial

from handlers.rules.kinds import ResourceKind
from handlers.rules.targets import TargetKind, parse
from handlers.services.connecting import WAIT, ask, begin_share, oldest
from handlers.services.notices import spell_letters
from handlers.services.world import World
from handlers.trees.facets.shares import MASTER, share_message
from vfs.access import Verb
from vfs.call import Reply
from vfs.context import Context
from vfs.errors import Invalid, VfsError
from vfs.nodes import Each, Named
from vfs.param import Param
from vfs.parts import value
from vfs.path import ANY_NAME
from vfs.ports.clock import stamp
from vfs.ports.invitations import PendingShare
from vfs.rules import NOBODY

WAITING: Param[PendingShare] = Param("waiting")


def list_pending(context: Context[World]) -> Iterator[Named]:
    """Yield the shares that still wait for a connection, with the moment at which they end."""
    for share in context.world.people.pending_shares.on(context.here.id, oldest(context.world)):
        ends = stamp(datetime.fromisoformat(share.created_on) + WAIT)
        extra = {"letters": share.letters, "expires_on": ends}
        yield Named(share.name, share.created_on, share.created_on, share, extra=extra)


def find_pending(context: Context[World], name: str) -> PendingShare | None:
    """Return the pending share with the user whom a name spells, whatever its permission letters are."""
    try:
        target = parse(name)
    except VfsError:
        return None
    if not context.owned or target.kind is not TargetKind.USER:
        return None
    return next((named.fact for named in list_pending(context) if named.fact.user == target.owner), None)


def ask_to_share(kind: ResourceKind, context: Context[World]) -> Reply | str:
    """Ask a user to be connected, and share when that is accepted; share at once with a visible user.

    The answer is the same for every user that the caller does not see, whether it exists or not.
    """
    target, world, item, me = parse(context.name), context.world, context.here, context.me
    if target.kind is not TargetKind.USER:
        raise Invalid("only a user can be asked to be connected, as in @bob~r: share with others in shared")
    if target.owner == me:
        raise Invalid("it is yours already: name somebody else")
    if kind.admit_share is not None:
        kind.admit_share(world.leaves, item, target.letters)
    now = stamp(world.clock.now())
    share = PendingShare(item.id, target.owner, me, target.letters, target.name, now)
    if world.people.users.sees(me, target.owner) or ask(world, me, target.owner).is_connected:
        world.people.pending_shares.drop(item.id, target.owner)
        begin_share(world, share)
        return Reply(share_message(kind, context, target))
    world.people.pending_shares.put(share, oldest(world))
    return (
        f"asked {target.target} to be connected: {item.kind} {item.name} is shared as soon as that is "
        f"accepted, within {WAIT.days} days: {spell_letters(target.letters)}\n"
    )


def take_back(context: Context[World]) -> str:
    """Take a pending share back; the request to be connected stays."""
    share = context[WAITING]
    context.world.people.pending_shares.drop(share.item, share.user)
    return f"{share.name} is taken back; you still ask @{share.user} to be connected\n"


def pending_shares(kind: ResourceKind) -> Each[PendingShare]:
    """Return the node `pending` of a resource, hidden from everyone but its owner.

    It is not listed, because clients that copy a tree would send its entries as files.
    """
    return Each(
        WAITING,
        value(
            lambda context: context[WAITING].letters,
            rules={Verb.READ: MASTER},
            hidden=True,
            about="a share that waits; its letters",
        ),
        names=list_pending,
        has=find_pending,
        create=partial(ask_to_share, kind),
        remove=take_back,
        name=ANY_NAME,
        again=True,
        hidden=True,
        listed=NOBODY,
        rules={Verb.READ: MASTER, Verb.CREATE: MASTER, Verb.REMOVE: MASTER},
        still=True,
        about="shares that begin when a user whom the owner asks is connected with the owner",
    )
