"""Shares of a resource: a folder of entries named by who they are for."""

from __future__ import annotations

from collections.abc import Container, Iterator
from functools import partial

from handlers.rules.kinds import ResourceKind
from handlers.rules.targets import Target, TargetKind, parse
from handlers.services.notices import SHARED, spell_letters
from handlers.services.notify import tell
from handlers.services.world import World
from vfs.access import Grant, Verb
from vfs.errors import Denied, Invalid, NotFound, VfsError
from vfs.nodes import Each, Named
from vfs.param import Param
from vfs.parts import value
from vfs.path import ANY_NAME
from vfs.place import Place
from vfs.ports.clock import stamp
from vfs.ports.items import Found
from vfs.rules import IN_PERSON, INFO, OWNER

MASTER = OWNER & IN_PERSON
TARGET: Param[Grant] = Param("target")


def visible_shares(place: Place[World]) -> Iterator[Named]:
    """The shares that the caller sees: its owner all, others the public one and those that reach them."""
    found: Found | None = None if place.owned else place.world.items.at(place.here.id, place.caller.name)
    mine = {reach.target for reach in found.reaches} if found is not None else ()
    for grant in place.world.grants.on(place.here.id):
        if is_shown_share(grant.target, mine, owned=place.owned):
            yield Named(grant.name, grant.created_on, grant.created_on, grant, target=_path(grant.target))


def is_shown_share(target: str, mine: Container[str], *, owned: bool) -> bool:
    """Whether a share is shown: to the owner each, to others the public one and those that reach them."""
    return owned or target in mine or target == "public"


def find_share(place: Place[World], name: str) -> Grant | None:
    """The share of the target that a name spells, whatever its letters are now (R-8)."""
    try:
        target = parse(name).target
    except VfsError:
        return None
    return next((named.fact for named in visible_shares(place) if named.fact.target == target), None)


def share(kind: ResourceKind, place: Place[World]) -> str:
    """Share with a target, or give its share other letters."""
    target = parse(place.name)
    old = place.get(TARGET)
    _admit(kind, place, target)
    if old is not None and old.name == target.name and old.letters == target.letters:
        return f"{target.name} is shared so already\n"
    stamped = old.created_on if old is not None else stamp(place.world.clock.now())
    place.world.grants.give(place.here.id, Grant(target.target, target.letters, target.name, stamped))
    if old is None and target.kind is TargetKind.USER:
        _notify(place, target)
    told = (
        f"shared {place.here.kind} {place.here.name} with {target.target}: {spell_letters(target.letters)}\n"
    )
    return told + kind.remark_share(place.world, place.here, target.letters)


def revoke(place: Place[World]) -> str:
    """Take a share back."""
    grant = place[TARGET]
    place.world.grants.take(place.here.id, grant.target)
    return f"{grant.name} is revoked\n"


def letters_of(place: Place[World]) -> str:
    """The letters of a share."""
    return place[TARGET].letters


def shares(kind: ResourceKind) -> Each[Grant]:
    """The node `shared` of a resource of a kind."""
    return Each(
        TARGET,
        value(letters_of, rules={Verb.READ: INFO}, about="a share; its letters"),
        names=visible_shares,
        has=find_share,
        create=partial(share, kind),
        remove=revoke,
        name=ANY_NAME,
        again=True,
        candid=True,
        rules={Verb.READ: INFO, Verb.CREATE: MASTER, Verb.REMOVE: MASTER},
        still=True,
        about="who it is shared with",
    )


def _notify(place: Place[World], target: Target) -> None:
    """Tell the target of a direct share that it was made (interface, Sharing rules 9)."""
    text = f"@{place.me} shared the {{thing}} with you: {{letters}}."
    tell(place.world, place.here, SHARED, text, place.me, target.owner)


def _admit(kind: ResourceKind, place: Place[World], target: Target) -> None:
    """Raise what forbids this share: an unseen target, a private account, or a rule of the kind."""
    if target.kind is TargetKind.PUBLIC:
        _admit_public(kind, place, target)
    elif target.owner == place.me and target.kind is TargetKind.USER:
        raise Invalid("it is yours already: name somebody else")
    elif not _reachable(place, target):
        spelled = "; letters to share with are r, w, d and x, as in @bob~rx" if target.group else ""
        raise NotFound(f"there is no {target.target} that you can share with{spelled}")
    if kind.admit_share is not None:
        kind.admit_share(place.world.leaves, place.here, target.letters)


def _reachable(place: Place[World], target: Target) -> bool:
    """Whether the caller sees the user, or is an active member of the group.

    A group that is unknown, unseen or another's is one and the same (R-9).
    """
    if target.kind is TargetKind.USER:
        sees: bool = place.world.people.users.sees(place.me, target.owner)
        return sees
    standing = place.world.people.groups.find(target.target, place.me)
    return standing is not None and standing.role is not None


def _admit_public(kind: ResourceKind, place: Place[World], target: Target) -> None:
    if not set(target.letters) <= set(kind.public_letters):
        raise Invalid(f"a {kind.name} is shared with the public for reading only: ask for public~r")
    user = place.world.people.users.find(place.me)
    if user is None or not user.public:
        raise Denied(
            "your account is private: write yes to admin/profile/public before you share with the public"
        )


def _path(target: str) -> str | None:
    """The path of the target of a share; None for the public."""
    if target == TargetKind.PUBLIC:
        return None
    owner, tilde, group = target[1:].partition("~")
    corner = "orgs" if target.startswith("+") else "users"
    return f"/v1/{corner}/{owner}" + (f"/groups/{group}" if tilde else "")
