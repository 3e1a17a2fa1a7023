"""Files of its owner that name an item by its name, which none of them follows by itself."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import NamedTuple

from chains.language.ast import Ref, from_data
from chains.language.chain_references import leads_to
from handlers.rules.kinds import ResourceKind
from handlers.services.world import World
from vfs.errors import VfsError
from vfs.path import Path
from vfs.ports.items import Item

CONTENT, MAPPING, SPACES, CHAIN = "content", "mapping", "config/spaces", "config/chains"
PLAN, RESULTS = "config/plan", "config/results"
"""The chain of a job, as it is kept beside its text."""
MOST_LOOKED_UP = 50
MOST_SEARCHED = 500
"""Items that are searched, those that changed last: writers of SQLite wait for it."""


class Referrer(NamedTuple):
    """A file of an item that names another, by their paths."""

    kind: str
    name: str
    file: str
    path: Path


def referrers_of(kind: ResourceKind, world: World, was: Item) -> Iterator[Referrer]:
    """The owner's files that name an item as it was called, of those that are looked up."""
    kinds, named = world.service.kinds, _path_pattern(kind, was)
    referring = [one.name for one in kinds.values() if one.refers_in]
    files = list(dict.fromkeys(file for one in kinds.values() for file in one.refers_in))
    for found, name, rel, text in world.leaves.saying(
        was.owner, referring, files, was.name, MOST_LOOKED_UP, MOST_SEARCHED
    ):
        if _chain_names(kind, was, text) if rel == PLAN else named.search(text) is not None:
            above, file = kinds[found], CHAIN if rel == PLAN else rel
            names = ("v1", "users", was.owner, above.family, above.folder, name, *file.split("/"))
            yield Referrer(found, name, file, Path(names))


def chain_ref(kind: ResourceKind, was: Item) -> Ref | None:
    """The reference by which a chain names an item; None for what no chain names."""
    return kind.chain_ref(was.owner, was.name) if kind.chain_ref is not None else None


def _path_pattern(kind: ResourceKind, was: Item) -> re.Pattern[str]:
    """The paths of an item in texts of its owner: `/p/north`, `/u/alice/p/north`, or as a web address."""
    return re.compile(
        rf"(?<![\w~/-])(?:https?://[^\s/?,]+/|/)?(?:u/{re.escape(was.owner)}/)?"
        rf"{kind.letter}/{re.escape(was.name)}(?![\w-])"
    )


def _chain_names(kind: ResourceKind, was: Item, plan: str) -> bool:
    """Whether a chain uses a repo or a job."""
    meant = chain_ref(kind, was)
    if meant is None:
        return False
    try:
        steps = from_data(json.loads(plan)).steps
    except (ValueError, VfsError):
        return False
    return any(leads_to(step.ref, was.owner, meant) for step in steps)
