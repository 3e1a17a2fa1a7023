"""The envelope of a resource: one JSON document of what it is, as short paths answer it."""

from __future__ import annotations

from handlers.rules.kinds import ResourceKind
from handlers.services.access import item_access
from handlers.services.hints import hints_of
from handlers.services.world import World
from vfs.access import Access
from vfs.call import Data
from vfs.place import Place
from vfs.ports.world import Found


def envelope(place: Place[World], kind: ResourceKind, found: Found) -> Data:
    """The envelope of an item; its texts are for whoever may read it."""
    item, world = found.item, place.world
    may_read = Access.READ in item_access(world, found, place.caller)
    full = may_read and (kind.candid or place.caller.name is not None)
    texts = {leaf.rel: leaf.text or "" for leaf in world.leaves.texts(item.id, "")} if full else {}
    config: dict[str, object] = {
        rel.removeprefix("config/"): text
        for rel, text in texts.items()
        if rel.startswith("config/") and not rel.startswith(kind.secrets)
    }
    if kind.schema is not None and full:
        config["json_schema"] = kind.schema(texts)
    about = {
        "shortname": item.shortname,
        "name": texts.get("name") or item.name,
        "created": item.created_on,
        "uri_vis": kind.page(hints_of(place.call).origin, item),
        "vis_type": kind.name,
        "description": texts.get("description", ""),
        "summary": texts.get("summary", ""),
    }
    creator = {"username": item.owner, "name": _owner_name(world, item.owner), "avatar": None}
    nothing = {"data": None, "metadata": None, "recipients": None}
    return Data(nothing | {"config": config, "creator": creator, "references": [], "about": about})


def _owner_name(world: World, owner: str) -> str:
    user = world.people.users.find(owner)
    name = world.leaves.get(user.item, "name") if user is not None else None
    return (name.text if name else None) or owner
