"""Shelves of what the members of a group share with it, by kind, for whoever is a member."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from types import MappingProxyType

from handlers.rules.kinds import Kinds, ResourceKind, shelves
from handlers.services.rights import item_access
from handlers.services.world import World
from handlers.trees.people.standing import MEMBER, here
from vfs.access import Verb, letters
from vfs.call import Data
from vfs.nodes import Dir, Each, File, Named, Rules
from vfs.param import Param
from vfs.parts import value
from vfs.path import NAME
from vfs.place import Place
from vfs.ports.items import Found
from vfs.rules import SIGNED_IN, Rule

ENTRY: Param[Named] = Param("entry")
ENTRY_NAME = re.compile(rf"@(?P<sharer>{NAME.pattern})~(?P<name>[a-z0-9][a-z0-9_-]{{0,199}})")


def shared_folder(kinds: Kinds) -> Dir:
    """The node `shared` of a group: a folder for each kind, absent while nothing of that kind is shared."""
    return Dir(
        {family: _family(shelved) for family, shelved in shelves(kinds)},
        rules={Verb.READ: MEMBER},
        listed=MEMBER,
        veiled=SIGNED_IN,
        about="what its members share with it",
    )


def _family(kinds: Sequence[ResourceKind]) -> Dir:
    return Dir({kind.folder: _shelf(kind) for kind in kinds}, veiled=SIGNED_IN, about="by kind")


def _shelf(kind: ResourceKind) -> Each[Named]:
    filled = MEMBER & Rule(
        f"has a {kind.name}", lambda p: kind.name in _kinds(p), f"a {kind.name} that is shared with it"
    )

    def names(place: Place[World]) -> Iterator[Named]:
        for found in place.world.items.through(kind.name, [here(place).group.ref], place.me):
            if row := link_row(place, found, kind):
                yield row

    def has(place: Place[World], name: str) -> Named | None:
        match = ENTRY_NAME.fullmatch(name)
        found = place.world.items.find(kind.name, match["sharer"], match["name"], place.me) if match else None
        if found is None or not _is_shared(place, found):
            return None
        return link_row(place, found, kind)

    return Each(
        ENTRY,
        link("a link: the path of what is shared", rules={Verb.READ: MEMBER}, veiled=SIGNED_IN),
        names=names,
        has=has,
        fixed=True,
        name=ENTRY_NAME,
        rules={Verb.READ: filled},
        listed=filled,
        veiled=SIGNED_IN,
        about=f"each {kind.name} as @<sharer>~<name>, a link to where it is",
    )


def link(about: str, rules: Rules = MappingProxyType({}), veiled: bool | Rule = False) -> File:
    """A file that tells the path to which an entry leads."""
    return value(
        lambda place: Data(place[ENTRY].extra, lambda row: str(row["target"])),
        shown=lambda place: place[ENTRY],
        rules=rules,
        veiled=veiled,
        about=about,
    )


def _kinds(place: Place[World]) -> frozenset[str]:
    """The kinds of what is shared, looked up once for all the places of a call; those that a claim leaves."""
    ref, claim = here(place).group.ref, place.caller.claim
    found = place.once(f"kinds shared with {ref}", lambda: place.world.grants.kinds(ref))
    return found if claim is None else frozenset(name for name in found if claim.mask(name))


def _is_shared(place: Place[World], found: Found) -> bool:
    ref = here(place).group.ref
    if found.item.owner == place.me:
        return any(grant.target == ref for grant in place.world.grants.on(found.item.id))
    every = place.world.items.at(found.item.id, place.me)
    return every is not None and any(reach.target == ref for reach in every.reaches)


def link_row(place: Place[World], found: Found, kind: ResourceKind) -> Named | None:
    """The row of a link: where it leads, and what the caller may do there; None where it may do nothing."""
    item = found.item
    may = item_access(place.world, found, place.caller)
    if not may:
        return None
    target = f"/v1/users/{item.owner}/{kind.family}/{kind.folder}/{item.name}"
    said = {"type": "link", "target": target, "permissions": letters(may), "shortname": item.shortname}
    name = f"@{item.owner}~{item.name}"
    return Named(name, item.created_on, item.last_modified, target=target, extra=said)
