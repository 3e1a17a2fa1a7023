"""Facts of a context that hooks of several resources read: its viewer, and the groups of its path."""

from __future__ import annotations

from handlers.services.viewer import Viewer
from handlers.services.world import World
from vfs.context import Context
from vfs.param import Param
from vfs.ports.groups import GroupRelation
from vfs.ports.items import Item


def viewer_of(context: Context[World], item: Item | None = None) -> Viewer:
    """Return the caller of a context as the viewer of an item, by default the item of the context."""
    return Viewer(context.world, item or context.here, context.caller, context.call.ongoing)


GROUP: Param[GroupRelation] = Param("group")
ORG: Param[GroupRelation] = Param("org")
