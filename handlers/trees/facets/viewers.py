"""Viewers: who looks at an item, made of the place at which a call ends."""

from __future__ import annotations

from handlers.services.viewer import Viewer
from handlers.services.world import World
from vfs.context import Context
from vfs.ports.items import Item


def viewer_of(context: Context[World], item: Item | None = None) -> Viewer:
    """The caller of a place as the viewer of an item, by default of the one that the place lies in."""
    return Viewer(context.world, item or context.here, context.caller, context.call.ongoing)
