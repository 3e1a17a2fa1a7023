"""Rows of every kind that is counted, made and taken away again."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from itertools import count
from typing import TypeVar

from tests.storage.tree.quota_ground import QuotaGround
from vfs.access import Grant, Role, Via
from vfs.errors import NotFound
from vfs.ports.groups import GroupKind, TieKind
from vfs.ports.quotas import MADE, QuotaName
from vfs.ports.social import tag_rel

T = TypeVar("T")
Made = Callable[[QuotaGround, int], object]
NUMBERS = count()


def found(thing: T | None) -> T:
    """What was looked for. Raises NotFound where there is nothing."""
    if thing is None:
        raise NotFound("there is nothing")
    return thing


def doc(house: QuotaGround, owner: str = "alice", name: str = "birds") -> int:
    there = house.items.find("doc", owner, name, owner)
    return (there.item if there is not None else house.items.create("doc", owner, name)).id


def group(house: QuotaGround, owner: str = "alice", name: str = "crows") -> str:
    ref = f"@{owner}~{name}"
    if house.groups.find(ref, owner) is None:
        house.groups.create(GroupKind.USER_GROUP, owner, name, owner)
    return ref


MAKERS: Mapping[QuotaName, Made] = {
    QuotaName.GROUPS: lambda house, n: house.groups.create(GroupKind.USER_GROUP, "alice", f"g{n}", "alice"),
    QuotaName.MEMBERS: lambda house, n: house.members.put(
        "@alice~crows", f"u{n}", Role.MEMBERS, pending=n % 2 == 0, by="bob"
    ),
    QuotaName.INVITES: lambda house, n: house.members.put(
        "@bob~crows", f"u{n}", Role.MEMBERS, pending=True, by="alice"
    ),
    QuotaName.SHARES: lambda house, n: house.grants.give(doc(house), Grant(f"@u{n}", "r", f"@u{n}~r")),
    QuotaName.TIES: lambda house, n: house.ties.put(list(TieKind)[n % 3], "alice", f"u{n}"),
    QuotaName.TOKENS: lambda house, n: house.tokens.mint("alice", f"t{n}", f"digest {n}"),
    QuotaName.SESSIONS: lambda house, n: house.tokens.mint("alice", f"s{n}", f"s{n}", via=Via.SESSION),
    QuotaName.KEYS: lambda house, n: house.keys.add("alice", f"k{n}"),
    QuotaName.TAGS: lambda house, n: house.leaves.put(
        doc(house, ("alice", "bob")[n % 2]), tag_rel(f"+t{n}", "alice"), "", "alice"
    ),
    QuotaName.VARIABLES: lambda house, n: house.leaves.put(doc(house), f"vars/v{n}", "", "bob"),
    QuotaName.COMMENTS: lambda house, n: house.comments.add(doc(house, "bob"), None, "alice", f"c{n}", "Hi"),
}
"""Makes one more of each kind for alice, on what is hers and on what is bob's."""
UNMAKERS: Mapping[QuotaName, Made] = {
    QuotaName.GROUPS: lambda house, n: house.groups.remove(
        found(house.groups.find(f"@alice~g{n}", None)).group
    ),
    QuotaName.MEMBERS: lambda house, n: house.members.drop(
        "@alice~crows", f"u{n}", Role.MEMBERS, pending=n % 2 == 0
    ),
    QuotaName.INVITES: lambda house, n: house.members.accept("@bob~crows", f"u{n}"),
    QuotaName.SHARES: lambda house, n: house.grants.take(doc(house), f"@u{n}"),
    QuotaName.TIES: lambda house, n: house.ties.drop(list(TieKind)[n % 3], "alice", f"u{n}"),
    QuotaName.TOKENS: lambda house, n: house.tokens.revoke(found(house.tokens.by_digest(f"digest {n}")).id),
    QuotaName.KEYS: lambda house, n: house.keys.remove(found(house.keys.find("alice", f"k{n}")).id),
    QuotaName.TAGS: lambda house, n: house.leaves.clear(
        doc(house, ("alice", "bob")[n % 2]), tag_rel(f"+t{n}", "alice")
    ),
    QuotaName.VARIABLES: lambda house, n: house.leaves.clear(doc(house), f"vars/v{n}"),
    QuotaName.COMMENTS: lambda house, n: house.comments.remove(
        found(house.comments.find(doc(house, "bob"), 0, "alice", f"c{n}"))
    ),
}


def deeds(house: QuotaGround, dice: random.Random) -> list[Callable[[], object]]:
    """Deeds that make, change and take away rows that are counted, whether or not these are there."""
    owner, other = dice.sample(("alice", "bob"), 2)
    n, name = dice.randrange(3), dice.choice(MADE)
    item, ref = doc(house, owner, "abc"[n]), f"@{owner}~g{n}"
    pending, via = dice.random() < 0.6, dice.choice((Via.TOKEN, Via.SESSION, Via.APPLICATION))
    whole = found(house.items.at(item, owner)).item
    place = house.groups.find(ref, None)
    comments = house.comments.on(item, 0)
    return [
        lambda: MAKERS[name](house, n),
        lambda: name in UNMAKERS and UNMAKERS[name](house, n),
        lambda: house.groups.create(GroupKind.USER_GROUP, owner, f"g{n}", owner),
        lambda: place and house.groups.remove(place.group),
        lambda: house.members.put(ref, other, Role.ADMINS, pending=pending, by=dice.choice((owner, None))),
        lambda: house.members.accept(ref, other),
        lambda: house.members.drop(ref, other, Role.ADMINS, pending=pending),
        lambda: house.tokens.mint(owner, f"x{n}", f"x {next(NUMBERS)}", via=via),
        lambda: house.tokens.mint(owner, f"r{n}", f"r {next(NUMBERS)}", via=Via.RUN, run=n),
        lambda: house.tokens.revoke(dice.randrange(1, 40)),
        lambda: house.tokens.revoke_run(n),
        lambda: house.leaves.put(item, tag_rel(f"={n}", owner), "", owner),
        lambda: house.leaves.put(item, f"notifications/@{other}", "info", other),
        lambda: house.leaves.put(item, f"vars/v{n}/value", "1", owner),
        lambda: house.leaves.move(item, f"vars/v{n}", "vars/w"),
        lambda: house.leaves.clear(item, dice.choice(("vars", "tags", f"tags/@{other}", "notifications"))),
        lambda: house.tags.forget("+t1", owner),
        lambda: house.items.copy(whole, other, f"copy{n}", ["vars", f"tags/@{other}"]),
        lambda: house.items.remove(whole),
        lambda: house.comments.add(
            item, dice.choice(comments) if comments else None, other, f"s{n}", "Hello"
        ),
        lambda: [house.comments.remove(one) for one in comments],
        lambda: house.ties.put(TieKind.CONNECTION, owner, other, pending=pending),
        lambda: house.ties.accept(TieKind.CONNECTION, owner, other),
        lambda: house.ties.drop(TieKind.CONNECTION, owner, other),
    ]
