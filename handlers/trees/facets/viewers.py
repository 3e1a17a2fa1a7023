"""Viewers: the caller of a context, as a reader of items."""

from __future__ import annotations

from handlers.services.viewer import Viewer
from handlers.services.world import World
from vfs.context import Context
from vfs.ports.items import Item


def viewer_of(context: Context[World], item: Item | None = None) -> Viewer:
    """Return the caller of a context as the viewer of an item, by default the item of the context."""
    return Viewer(context.world, item or context.here, context.caller, context.call.ongoing)
