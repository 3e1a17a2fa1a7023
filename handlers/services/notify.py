"""Tells users what happens to a resource, as far as each one's `notifications` there ask for it."""

from __future__ import annotations

from handlers.services.run_notices import DEFAULT, IGNORED, LEVELS, MAILED
from handlers.services.world import World
from vfs.ports.world import Item


def tell(world: World, item: Item, user: str, kind: str, path: str, text: str) -> None:
    """Put a notice into the inbox of a user: none at the level `ignore`, mailed too at `important`."""
    leaf = world.leaves.get(item.id, f"{LEVELS}/@{user}")
    level = (leaf.text if leaf is not None else None) or DEFAULT
    if level != IGNORED:
        world.social.notices.add(user, kind, path, text, level=level, mail=level == MAILED)


def listeners(world: World, item: Item) -> list[str]:
    """The users who chose a level there, by name."""
    return [mark.rel.removeprefix(f"{LEVELS}/@") for mark in world.leaves.under(item.id, LEVELS)]
