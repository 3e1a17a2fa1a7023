"""What a person has of an item that a text refers to: asked by chains, by mounts and by builds."""

from __future__ import annotations

from typing import Any

from vfs.access import NOTHING, RUNNABLE, Access, Caller, reached
from vfs.world import Found, Item


def item_access(world: Any, person: str, kind: str, owner: str, name: str) -> tuple[Item | None, Access]:
    """The item, None when there is none, and what the person may do with it at this moment."""
    found: Found | None = world.items.find(kind, owner, name, person)
    if found is None:
        return None, NOTHING
    return found.item, reached(found.item.owner, kind, found.reaches, Caller(person), RUNNABLE)
