"""Files of its owner that name an item by its name, which none of them follows by itself."""

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
"""The chain of a job, as it is kept beside its text."""
MOST_LOOKED_UP = 50


class Referrer(NamedTuple):
    """A file of an item that names another, by their paths."""

    kind: str
    name: str
    file: str
    path: Path


def referrers_of(kind: ResourceKind, world: World, was: Item) -> Iterator[Referrer]:
    """The owner's files that name an item as it was called, of those that are looked up."""
    kinds, named = world.service.kinds, ItemName(kind.letter, was.owner, was.name)
    for found, name, rel in world.social.search.naming_leaves(was.owner, named, MOST_LOOKED_UP):
        above = kinds.get(found)
        if above is not None and rel in above.refers_in:
            file = CHAIN if rel == PLAN else rel
            names = ("v1", "users", was.owner, above.family, above.folder, name, *file.split("/"))
            yield Referrer(found, name, file, Path(names))


def chain_ref(kind: ResourceKind, was: Item) -> Ref | None:
    """The reference by which a chain names an item; None for what no chain names."""
    return kind.chain_ref(was.owner, was.name) if kind.chain_ref is not None else None
