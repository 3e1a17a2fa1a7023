"""The world of a preview: as it is, but for the texts of one item."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from handlers.services.previews.passing_renders import PassingRenders
from handlers.services.previews.preview_leaves import PreviewLeaves
from handlers.services.world import World
from vfs.ports.items import Item


def preview_world(world: World, item: Item, texts: Mapping[str, str], author: str | None) -> World:
    """The world in which an item has these texts by their paths, written by an author.

    Renders of the item are kept for the call alone. Those of what it shows are kept as ever: they are what
    is stored, and found by whoever saves what was tried.
    """
    visuals = world.visuals
    return replace(
        world,
        leaves=PreviewLeaves(world.leaves, item.id, texts, author),
        visuals=replace(visuals, apart={item.id: PassingRenders(visuals.kept)}),
    )
