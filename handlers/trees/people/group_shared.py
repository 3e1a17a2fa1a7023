"""What the members of a group share with it, by kind, for whoever is a member."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from handlers.services.world import World
from handlers.trees.people.standing import here, standing
from vfs.access import RUNNABLE, VIEWABLE, Confers, Verb, access_of, letters
from vfs.call import Data
from vfs.nodes import Dir, Each, Named
from vfs.param import Param
from vfs.parts import value
from vfs.path import NAME
from vfs.place import Place
from vfs.ports.world import Found
from vfs.rules import SIGNED_IN, Rule

ENTRY: Param[Named] = Param("entry")
ENTRY_NAME = re.compile(rf"@(?P<sharer>{NAME.pattern})~(?P<name>[a-z0-9][a-z0-9_-]{{0,199}})")
SHELVES: Mapping[str, Mapping[str, tuple[str, Confers]]] = {
    "vis": {
        "plots": ("plot", VIEWABLE),
        "grids": ("grid", VIEWABLE),
        "docs": ("doc", VIEWABLE),
        "mails": ("mail", VIEWABLE),
    },
    "code": {"repos": ("repo", RUNNABLE), "jobs": ("job", RUNNABLE)},
}


def _belongs(place: Place[World]) -> bool:
    found = standing(place)
    return found is not None and found.role is not None


MEMBER = Rule("member", _belongs, "a role there")


def shared() -> Dir:
    """The node `shared` of a group: a folder for each kind, absent while nothing of that kind is shared."""
    return Dir(
        {family: _family(family, shelves) for family, shelves in SHELVES.items()},
        rules={Verb.READ: MEMBER},
        listed=MEMBER,
        veiled=SIGNED_IN,
        about="what its members share with it",
    )


def _family(name: str, shelves: Mapping[str, tuple[str, Confers]]) -> Dir:
    return Dir(
        {folder: _shelf(f"/{name}/{folder}", *kind) for folder, kind in shelves.items()},
        veiled=SIGNED_IN,
        about="by kind",
    )


def _shelf(folder: str, kind: str, confers: Confers) -> Each[Named]:
    filled = MEMBER & Rule(f"has a {kind}", lambda p: kind in _kinds(p), f"a {kind} that is shared with it")

    def names(place: Place[World]) -> Iterator[Named]:
        for found in place.world.items.through(kind, [here(place).group.ref], place.me):
            if link := linked(place, found, folder, confers):
                yield link

    def has(place: Place[World], name: str) -> Named | None:
        match = ENTRY_NAME.fullmatch(name)
        found = place.world.items.find(kind, match["sharer"], match["name"], place.me) if match else None
        if found is None or not _is_shared(place, found):
            return None
        return linked(place, found, folder, confers)

    return Each(
        ENTRY,
        value(
            lambda place: Data(place[ENTRY].extra, lambda told: told["target"]),
            shown=lambda place: place[ENTRY],
            rules={Verb.READ: MEMBER},
            veiled=SIGNED_IN,
            about="a link: the path of what is shared",
        ),
        names=names,
        has=has,
        fixed=True,
        name=ENTRY_NAME,
        rules={Verb.READ: filled},
        listed=filled,
        veiled=SIGNED_IN,
        about=f"each {kind} as @<sharer>~<name>, a link to where it is",
    )


def _kinds(place: Place[World]) -> frozenset[str]:
    """The kinds of what is shared, looked up once for all the places of a call."""
    ref = here(place).group.ref
    return place.once(f"kinds shared with {ref}", lambda: place.world.grants.kinds(ref))


def _is_shared(place: Place[World], found: Found) -> bool:
    ref = here(place).group.ref
    if found.item.owner == place.me:
        return any(grant.target == ref for grant in place.world.grants.on(found.item.id))
    every = place.world.items.at(found.item.id, place.me)
    return every is not None and any(reach.target == ref for reach in every.reaches)


def linked(place: Place[World], found: Found, folder: str, confers: Confers) -> Named | None:
    """The row of a link: where it leads, and what the caller may do there; None where it may do nothing."""
    item = found.item
    access = access_of(item.owner, item.kind, found.reaches, place.caller, confers)
    if not access:
        return None
    target = f"/v1/users/{item.owner}{folder}/{item.name}"
    said = {
        "type": "link",
        "target": target,
        "permissions": letters(access),
        "shortname": item.shortname,
    }
    name = f"@{item.owner}~{item.name}"
    return Named(name, item.created_on, item.last_modified, target=target, extra=said)
