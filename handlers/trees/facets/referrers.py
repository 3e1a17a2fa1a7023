"""Files of its owner that name an item: told when it is renamed, as none of them follows by itself."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from chains.language.ast import RepoRef, from_data
from handlers.rules.kinds import ResourceKind
from handlers.services.world import World
from vfs.errors import VfsError
from vfs.place import Place
from vfs.ports.world import Item

PATHS = ("content", "mapping", "config/spaces")
"""Files that name items by their paths."""
PLAN = "config/plan"
"""The chain of a job, as it is kept beside its text."""
REFERRERS = ("doc", "grid", "mail", "job")
MOST_LOOKED_UP = 200
MOST_NAMED = 10


def remark_rename(kind: ResourceKind, place: Place[World], item: Item) -> str:
    """A line for each of the owner's files that names the item as it was called."""
    lines = list(_lines(kind, place.world, place.here))
    if not lines:
        return ""
    more = len(lines) - MOST_NAMED
    told = [*lines[:MOST_NAMED], *([f"warning: and {more} more"] if more > 0 else [])]
    return "\n".join([*told, f"write {item.name} there, or give the name back to mend it", ""])


def _lines(kind: ResourceKind, world: World, was: Item) -> Iterator[str]:
    kinds, named = world.service.kinds, _path_pattern(kind, was)
    for found, name, rel, text in world.leaves.saying(
        was.owner, REFERRERS, (*PATHS, PLAN), was.name, MOST_LOOKED_UP
    ):
        if _chain_names(kind, was, text) if rel == PLAN else named.search(text) is not None:
            above, file = kinds[found], "config/chains" if rel == PLAN else rel
            where = f"/v1/users/{was.owner}/{above.family}/{above.folder}/{name}/{file}"
            yield f"warning: {where} names {was.name} still, and does not find it any more"


def _path_pattern(kind: ResourceKind, was: Item) -> re.Pattern[str]:
    """The paths of an item in texts of its owner: `/p/north`, `/u/alice/p/north`, or as a web address."""
    return re.compile(
        rf"(?<![\w~/-])(?:https?://[^\s/?,]+/|/)?(?:u/{re.escape(was.owner)}/)?"
        rf"{kind.letter}/{re.escape(was.name)}(?![\w-])"
    )


def _chain_names(kind: ResourceKind, was: Item, plan: str) -> bool:
    """Whether a chain uses a repo or a job."""
    try:
        steps = from_data(json.loads(plan)).steps
    except (ValueError, VfsError):
        return False
    named = (
        ("repo", ref.owner or was.owner, ref.repo)
        if isinstance(ref, RepoRef)
        else ("job", ref.owner or was.owner, ref.job)
        for ref in (step.ref for step in steps)
    )
    return (kind.name, was.owner, was.name) in named
