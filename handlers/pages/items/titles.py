"""Titles of several resources, for pages that list them."""

from __future__ import annotations

from collections.abc import Sequence

from handlers.pages.request import PageRequest
from handlers.rules.kinds import ResourceKind
from vfs.path import Path

OWNER, NAME = 2, 5
"""The places of an address of the API that have the owner and the name of a resource."""


def titles_of(request: PageRequest, kind: ResourceKind, places: Sequence[Path]) -> Sequence[str]:
    """The titles of resources of a kind that the caller was shown, or the names of those without one."""
    named = [(place[OWNER], place[NAME]) for place in places]
    found = request.world.items.all_named(kind.name, named, (), request.caller.name)
    ids = {(one.item.owner, one.item.name): one.item.id for one in found}
    texts = request.world.leaves.texts_of(list(ids.values()), ("name",))
    said = (texts.get(ids.get(one, 0), {}).get("name", "").strip() for one in named)
    return [title or name for title, (_, name) in zip(said, named, strict=True)]
