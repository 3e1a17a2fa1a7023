"""Shares of a resource, by their targets, and those that wait until a user is connected."""

from __future__ import annotations

from collections.abc import Container, Iterator
from datetime import datetime
from functools import partial

from handlers.rules.kinds import ResourceKind
from handlers.rules.targets import Target, TargetKind, parse
from handlers.services.connecting import WAIT, ask, begin_share, notify_shared, oldest
from handlers.services.notices import spell_letters
from handlers.services.world import World
from vfs.access import Grant, Verb
from vfs.call import Reply
from vfs.context import Context
from vfs.errors import Denied, Invalid, NotFound, VfsError
from vfs.nodes import Each, Named
from vfs.param import Param
from vfs.parts import value
from vfs.path import ANY_NAME, Path
from vfs.ports.clock import stamp
from vfs.ports.invitations import PendingShare
from vfs.ports.items import Found
from vfs.ports.links import ItemLink
from vfs.rules import IN_PERSON, INFO, NOBODY, OWNER

MASTER = OWNER & IN_PERSON
TARGET: Param[Grant] = Param("target")
PENDING = "pending"
"""The folder, beside that of shares, of shares that wait for a connection."""


def visible_shares(context: Context[World]) -> Iterator[Named]:
    """Yield the shares that the caller may see: the owner all, others the public one and their own."""
    found: Found | None = (
        None if context.owned else context.world.items.at(context.here.id, context.caller.name)
    )
    mine = {effective_grant.target for effective_grant in found.effective_grants} if found is not None else ()
    for grant in context.world.grants.on(context.here.id):
        if is_shown_share(grant.target, mine, owned=context.owned):
            yield Named(grant.name, grant.created_on, grant.created_on, grant, target=_path(grant.target))


def is_shown_share(target: str, mine: Container[str], *, owned: bool) -> bool:
    """Return whether a share is shown: to the owner all, to others the public one and their own."""
    return owned or target in mine or target == "public"


def find_share(context: Context[World], name: str) -> Grant | None:
    """Return the share whose target a name spells, whatever its permission letters are (R-8)."""
    try:
        target = parse(name).target
    except VfsError:
        return None
    return next((named.fact for named in visible_shares(context) if named.fact.target == target), None)


def share(kind: ResourceKind, context: Context[World]) -> str:
    """Share with a target, or change the permission letters of its share."""
    target = parse(context.name)
    old = context.get(TARGET)
    _admit(kind, context, target)
    if old is not None and old.name == target.name and old.letters == target.letters:
        return f"{target.name} is shared already, with these letters\n"
    stamped = old.created_on if old is not None else stamp(context.world.clock.now())
    context.world.grants.give(context.here.id, Grant(target.target, target.letters, target.name, stamped))
    if target.kind is TargetKind.USER:
        context.world.people.pending_shares.drop(context.here.id, target.owner)
        if old is None:
            notify_shared(context.world, context.here, target.owner)
    return share_message(kind, context, target)


def share_message(kind: ResourceKind, context: Context[World], target: Target) -> str:
    """Return what a share grants, and what its owner should know."""
    item = context.here
    message = f"shared {item.kind} {item.name} with {target.target}: {spell_letters(target.letters)}\n"
    return message + kind.remark_share(context.world, item, target.letters)


def revoke(context: Context[World]) -> str:
    """Revoke a share."""
    grant = context[TARGET]
    context.world.grants.take(context.here.id, grant.target)
    return f"{grant.name} is revoked\n"


def shares(kind: ResourceKind, links: Each[ItemLink] | None = None) -> Each[Grant]:
    """Return the node `shared` of a resource of a kind, which may have links, too."""
    return Each(
        TARGET,
        value(lambda p: p[TARGET].letters, rules={Verb.READ: INFO}, about="a share; its letters"),
        names=visible_shares,
        has=find_share,
        create=partial(share, kind),
        remove=revoke,
        name=ANY_NAME,
        again=True,
        candid=True,
        rules={Verb.READ: INFO, Verb.CREATE: MASTER, Verb.REMOVE: MASTER},
        still=True,
        also=links,
        about="who it is shared with",
    )


def _admit(kind: ResourceKind, context: Context[World], target: Target) -> None:
    """Raise the reason against a share: a hidden target, a private account, or a rule of the kind."""
    if target.kind is TargetKind.PUBLIC:
        _admit_public(kind, context, target)
    elif target.owner == context.me and target.kind is TargetKind.USER:
        raise Invalid("it is yours already: name somebody else")
    elif not _reachable(context, target):
        raise _unreachable(context, target)
    if kind.admit_share is not None:
        kind.admit_share(context.world.leaves, context.here, target.letters)


def _unreachable(context: Context[World], target: Target) -> NotFound:
    """Return the refusal of a hidden target, whether it exists or not; for a user it names the way on."""
    refusal = f"there is no {target.target} that you can share with"
    if target.group:
        return NotFound(f"{refusal}; letters to share with are r, w, d and x, as in @bob~rx")
    way = Path((*context.requested[:-2], PENDING, target.name))
    return NotFound(
        f"{refusal}: PUT {way} asks {target.target} to be connected, and shares as soon as that is accepted"
    )


def _reachable(context: Context[World], target: Target) -> bool:
    """Return whether the caller may see the user, or is an active member of the group.

    Groups that are unknown, hidden or without the caller give the same answer (R-9).
    """
    if target.kind is TargetKind.USER:
        sees: bool = context.world.people.users.sees(context.me, target.owner)
        return sees
    relation = context.world.people.groups.find(target.target, context.me)
    return relation is not None and relation.role is not None


def _admit_public(kind: ResourceKind, context: Context[World], target: Target) -> None:
    if not set(target.letters) <= set(kind.public_letters):
        raise Invalid(f"a {kind.name} is shared with the public for reading only: ask for public~r")
    user = context.world.people.users.find(context.me)
    if user is None or not user.public:
        raise Denied(
            "your account is private: write yes to admin/profile/public before you share with the public"
        )


def _path(target: str) -> str | None:
    """Return the path of a share's target; None for the public."""
    if target == TargetKind.PUBLIC:
        return None
    owner, tilde, group = target[1:].partition("~")
    corner = "orgs" if target.startswith("+") else "users"
    return f"/v1/{corner}/{owner}" + (f"/groups/{group}" if tilde else "")


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
