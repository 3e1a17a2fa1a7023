"""Resources that the members of a group share with it, by kind, for its members."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from types import MappingProxyType

from handlers.rules.kinds import Kinds, ResourceKind, shelves
from handlers.services.rights import item_access
from handlers.services.world import World
from handlers.trees.people.group_relation import MEMBER, here
from vfs.access import Verb, letters
from vfs.call import Data
from vfs.context import Context
from vfs.nodes import Dir, Each, File, Named, Rules
from vfs.param import Param
from vfs.parts import value
from vfs.path import NAME
from vfs.ports.items import Found
from vfs.rules import SIGNED_IN, Rule

ENTRY: Param[Named] = Param("entry")
ENTRY_NAME = re.compile(rf"@(?P<sharer>{NAME.pattern})~(?P<name>[a-z0-9][a-z0-9_-]{{0,199}})")


def shared_folder(kinds: Kinds) -> Dir:
    """Return the node `shared` of a group: a folder for each kind, hidden while nothing of it is shared."""
    return Dir(
        {family: _family(shelved) for family, shelved in shelves(kinds)},
        rules={Verb.READ: MEMBER},
        listed=MEMBER,
        hidden=SIGNED_IN,
        about="what its members share with it",
    )


def _family(kinds: Sequence[ResourceKind]) -> Dir:
    return Dir({kind.folder: _shelf(kind) for kind in kinds}, hidden=SIGNED_IN, about="by kind")


def _shelf(kind: ResourceKind) -> Each[Named]:
    filled = MEMBER & Rule(
        f"has a {kind.name}", lambda p: kind.name in _kinds(p), f"a {kind.name} that is shared with it"
    )

    def names(context: Context[World]) -> Iterator[Named]:
        for found in context.world.items.through(kind.name, [here(context).group.ref], context.me):
            if row := link_row(context, found, kind):
                yield row

    def has(context: Context[World], name: str) -> Named | None:
        match = ENTRY_NAME.fullmatch(name)
        found = (
            context.world.items.find(kind.name, match["sharer"], match["name"], context.me) if match else None
        )
        if found is None or not _is_shared(context, found):
            return None
        return link_row(context, found, kind)

    return Each(
        ENTRY,
        link("a link: the path of what is shared", rules={Verb.READ: MEMBER}, hidden=SIGNED_IN),
        names=names,
        has=has,
        fixed=True,
        name=ENTRY_NAME,
        rules={Verb.READ: filled},
        listed=filled,
        hidden=SIGNED_IN,
        about=f"each {kind.name} as @<sharer>~<name>, a link to where it is",
    )


def link(about: str, rules: Rules = MappingProxyType({}), hidden: bool | Rule = False) -> File:
    """Return a file that shows the path to which an entry leads."""
    return value(
        lambda context: Data(context[ENTRY].extra, lambda row: str(row["target"])),
        shown=lambda context: context[ENTRY],
        rules=rules,
        hidden=hidden,
        about=about,
    )


def _kinds(context: Context[World]) -> frozenset[str]:
    """Return the kinds of the shared items that the caller's claim allows, looked up once for each call."""
    ref, claim = here(context).group.ref, context.caller.claim
    found = context.once(f"kinds shared with {ref}", lambda: context.world.grants.kinds(ref))
    if claim is None:
        return found
    single = {one.kind for one in claim.items.values()}
    return frozenset(name for name in found if claim.mask(name) or (name in single and _any(context, name)))


def _any(context: Context[World], kind: str) -> bool:
    """Return whether the caller's credential shows any of the shared items of a kind."""
    shared = context.world.items.through(kind, [here(context).group.ref], context.me)
    return any(item_access(context.world, one, context.caller) for one in shared)


def _is_shared(context: Context[World], found: Found) -> bool:
    ref = here(context).group.ref
    if found.item.owner == context.me:
        return any(grant.target == ref for grant in context.world.grants.on(found.item.id))
    every = context.world.items.at(found.item.id, context.me)
    return every is not None and any(
        effective_grant.target == ref for effective_grant in every.effective_grants
    )


def link_row(context: Context[World], found: Found, kind: ResourceKind) -> Named | None:
    """Return the row of a link: its target and the caller's permissions; None without permissions."""
    item = found.item
    may = item_access(context.world, found, context.caller)
    if not may:
        return None
    target = f"/v1/users/{item.owner}/{kind.family}/{kind.folder}/{item.name}"
    said = {"type": "link", "target": target, "permissions": letters(may), "shortname": item.shortname}
    name = f"@{item.owner}~{item.name}"
    return Named(name, item.created_on, item.last_modified, target=target, extra=said)
