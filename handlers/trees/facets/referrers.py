"""Files that refer to an item of their owner by name, and do not follow a rename."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from chains.language.ast import Ref
from handlers.rules.kinds import ResourceKind
from handlers.services.world import World
from vfs.path import Path
from vfs.ports.items import Item, ItemName

CONTENT, MAPPING, SPACES, CHAIN = "content", "mapping", "config/spaces", "config/chains"
PLAN, RESULTS = "config/plan", "config/results"
"""PLAN is the chain of a job as data, stored with its text."""
MOST_LOOKED_UP = 50


class Referrer(NamedTuple):
    """A file of an item that names another item: kind and name of the item, file, and full path."""

    kind: str
    name: str
    file: str
    path: Path


def referrers_of(kind: ResourceKind, world: World, was: Item) -> Iterator[Referrer]:
    """Yield the owner's files that name an item by its old name, at most MOST_LOOKED_UP."""
    kinds, named = world.service.kinds, ItemName(kind.letter, was.owner, was.name)
    for found, name, rel in world.social.search.naming_leaves(was.owner, named, MOST_LOOKED_UP):
        above = kinds.get(found)
        if above is not None and rel in above.refers_in:
            file = CHAIN if rel == PLAN else rel
            names = ("v1", "users", was.owner, above.family, above.folder, name, *file.split("/"))
            yield Referrer(found, name, file, Path(names))


def chain_ref(kind: ResourceKind, was: Item) -> Ref | None:
    """Return the reference by which a chain names an item; None for kinds that no chain names."""
    return kind.chain_ref(was.owner, was.name) if kind.chain_ref is not None else None
