"""Rows of every kind that is counted, made and taken away again."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from itertools import count
from typing import TypeVar

from tests.storage.tree.quota_world import QuotaWorld
from vfs.access import Grant, Role, Via
from vfs.errors import NotFound
from vfs.ports.groups import GroupKind, TieKind
from vfs.ports.quotas import MADE, QuotaName
from vfs.ports.social import tag_rel

T = TypeVar("T")
Made = Callable[[QuotaWorld, int], object]
NUMBERS = count()


def found(thing: T | None) -> T:
    """What was looked for. Raises NotFound where there is nothing."""
    if thing is None:
        raise NotFound("there is nothing")
    return thing


def doc(live_world: QuotaWorld, owner: str = "alice", name: str = "birds") -> int:
    there = live_world.items.find("doc", owner, name, owner)
    return (there.item if there is not None else live_world.items.create("doc", owner, name)).id


def group(live_world: QuotaWorld, owner: str = "alice", name: str = "crows") -> str:
    ref = f"@{owner}~{name}"
    if live_world.groups.find(ref, owner) is None:
        live_world.groups.create(GroupKind.USER_GROUP, owner, name, owner)
    return ref


MAKERS: Mapping[QuotaName, Made] = {
    QuotaName.GROUPS: lambda live_world, n: live_world.groups.create(
        GroupKind.USER_GROUP, "alice", f"g{n}", "alice"
    ),
    QuotaName.MEMBERS: lambda live_world, n: live_world.members.put(
        "@alice~crows", f"u{n}", Role.MEMBERS, pending=n % 2 == 0, by="bob"
    ),
    QuotaName.INVITES: lambda live_world, n: live_world.members.put(
        "@bob~crows", f"u{n}", Role.MEMBERS, pending=True, by="alice"
    ),
    QuotaName.SHARES: lambda live_world, n: live_world.grants.give(
        doc(live_world), Grant(f"@u{n}", "r", f"@u{n}~r")
    ),
    QuotaName.TIES: lambda live_world, n: live_world.ties.put(list(TieKind)[n % 3], "alice", f"u{n}"),
    QuotaName.TOKENS: lambda live_world, n: live_world.tokens.mint("alice", f"t{n}", f"digest {n}"),
    QuotaName.SESSIONS: lambda live_world, n: live_world.tokens.mint(
        "alice", f"s{n}", f"s{n}", via=Via.SESSION
    ),
    QuotaName.KEYS: lambda live_world, n: live_world.keys.add("alice", f"k{n}"),
    QuotaName.TAGS: lambda live_world, n: live_world.leaves.put(
        doc(live_world, ("alice", "bob")[n % 2]), tag_rel(f"+t{n}", "alice"), "", "alice"
    ),
    QuotaName.VARIABLES: lambda live_world, n: live_world.leaves.put(
        doc(live_world), f"vars/v{n}", "", "bob"
    ),
    QuotaName.COMMENTS: lambda live_world, n: live_world.comments.add(
        doc(live_world, "bob"), None, "alice", f"c{n}", "Hi"
    ),
}
"""Makes one more of each kind for alice, on what is hers and on what is bob's."""
UNMAKERS: Mapping[QuotaName, Made] = {
    QuotaName.GROUPS: lambda live_world, n: live_world.groups.remove(
        found(live_world.groups.find(f"@alice~g{n}", None)).group
    ),
    QuotaName.MEMBERS: lambda live_world, n: live_world.members.drop(
        "@alice~crows", f"u{n}", Role.MEMBERS, pending=n % 2 == 0
    ),
    QuotaName.INVITES: lambda live_world, n: live_world.members.accept("@bob~crows", f"u{n}"),
    QuotaName.SHARES: lambda live_world, n: live_world.grants.take(doc(live_world), f"@u{n}"),
    QuotaName.TIES: lambda live_world, n: live_world.ties.drop(list(TieKind)[n % 3], "alice", f"u{n}"),
    QuotaName.TOKENS: lambda live_world, n: live_world.tokens.revoke(
        found(live_world.tokens.by_digest(f"digest {n}")).id
    ),
    QuotaName.KEYS: lambda live_world, n: live_world.keys.remove(
        found(live_world.keys.find("alice", f"k{n}")).id
    ),
    QuotaName.TAGS: lambda live_world, n: live_world.leaves.clear(
        doc(live_world, ("alice", "bob")[n % 2]), tag_rel(f"+t{n}", "alice")
    ),
    QuotaName.VARIABLES: lambda live_world, n: live_world.leaves.clear(doc(live_world), f"vars/v{n}"),
    QuotaName.COMMENTS: lambda live_world, n: live_world.comments.remove(
        found(live_world.comments.find(doc(live_world, "bob"), 0, "alice", f"c{n}"))
    ),
}


def actions(live_world: QuotaWorld, dice: random.Random) -> list[Callable[[], object]]:
    """Actions that make, change and take away rows that are counted, whether or not these are there."""
    owner, other = dice.sample(("alice", "bob"), 2)
    n, name = dice.randrange(3), dice.choice(MADE)
    item, ref = doc(live_world, owner, "abc"[n]), f"@{owner}~g{n}"
    pending, via = dice.random() < 0.6, dice.choice((Via.TOKEN, Via.SESSION, Via.APPLICATION))
    whole = found(live_world.items.at(item, owner)).item
    place = live_world.groups.find(ref, None)
    comments = live_world.comments.on(item, 0)
    return [
        lambda: MAKERS[name](live_world, n),
        lambda: name in UNMAKERS and UNMAKERS[name](live_world, n),
        lambda: live_world.groups.create(GroupKind.USER_GROUP, owner, f"g{n}", owner),
        lambda: place and live_world.groups.remove(place.group),
        lambda: live_world.members.put(
            ref, other, Role.ADMINS, pending=pending, by=dice.choice((owner, None))
        ),
        lambda: live_world.members.accept(ref, other),
        lambda: live_world.members.drop(ref, other, Role.ADMINS, pending=pending),
        lambda: live_world.tokens.mint(owner, f"x{n}", f"x {next(NUMBERS)}", via=via),
        lambda: live_world.tokens.mint(owner, f"r{n}", f"r {next(NUMBERS)}", via=Via.RUN, run=n),
        lambda: live_world.tokens.revoke(dice.randrange(1, 40)),
        lambda: live_world.tokens.revoke_run(n),
        lambda: live_world.leaves.put(item, tag_rel(f"={n}", owner), "", owner),
        lambda: live_world.leaves.put(item, f"notifications/@{other}", "info", other),
        lambda: live_world.leaves.put(item, f"vars/v{n}/value", "1", owner),
        lambda: live_world.leaves.move(item, f"vars/v{n}", "vars/w"),
        lambda: live_world.leaves.clear(
            item, dice.choice(("vars", "tags", f"tags/@{other}", "notifications"))
        ),
        lambda: live_world.tags.forget("+t1", owner),
        lambda: live_world.items.copy(whole, other, f"copy{n}", ["vars", f"tags/@{other}"]),
        lambda: live_world.items.remove(whole),
        lambda: live_world.comments.add(
            item, dice.choice(comments) if comments else None, other, f"s{n}", "Hello"
        ),
        lambda: [live_world.comments.remove(one) for one in comments],
        lambda: live_world.ties.put(TieKind.CONNECTION, owner, other, pending=pending),
        lambda: live_world.ties.accept(TieKind.CONNECTION, owner, other),
        lambda: live_world.ties.drop(TieKind.CONNECTION, owner, other),
    ]
