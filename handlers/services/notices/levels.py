"""The level at which a user is told of an item, as a link in a mail lowers it."""

from __future__ import annotations

from handlers.services.access import person_access
from handlers.services.notices.subjects import thing_name
from handlers.services.run_notices import DEFAULT, LEVELS, MAILED
from handlers.services.world import World
from vfs.access import Access


def mute(world: World, item: int, user: str) -> None:
    """Mail the user no more of what happens to an item; its inbox goes on to tell it."""
    rel = f"{LEVELS}/@{user}"
    with world.atomic():
        leaf = world.leaves.get(item, rel)
        if leaf is not None and leaf.text == MAILED:
            world.leaves.put(item, rel, DEFAULT, user)


def mute_words(world: World, item: int, user: str) -> str:
    """The words for an item to a user, who may not see it any more."""
    found = world.items.at(item, user)
    if found is None or Access.INFO not in person_access(world, found.item, user):
        return "what this one was about"
    return f"the {thing_name(found.item)} of @{found.item.owner}"
