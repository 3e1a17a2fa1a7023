"""The things that notices are about: where each is now, and what it is called."""

from __future__ import annotations

from handlers.services.world import World
from vfs.ports.groups import GroupKind
from vfs.ports.world import Item

GROUP_KINDS = frozenset(GroupKind)
INVITE = "invite"
VISUALS = "vis"
"""The family of which every item has a page at its owner's."""


def thing_name(item: Item) -> str:
    """The kind and the name of an item, as a sentence has it."""
    return f"{item.kind.replace('_', ' ')} {item.name}"


def group_ref(item: Item) -> str:
    """The reference of the group whose item it is; of a user's item the `@` and its name."""
    if item.kind == GroupKind.ORG:
        return item.owner
    return f"{item.owner}~{item.name}" if item.kind in GROUP_KINDS else f"@{item.name}"


def api_path(world: World, item: Item) -> str:
    """The path at which an item is read."""
    if item.kind in GROUP_KINDS:
        org, tilde, group = item.owner.removeprefix("+"), item.kind == GroupKind.ORG_GROUP, item.name
        if item.kind == GroupKind.USER_GROUP:
            return f"/v1/admin/groups/{group_ref(item)}"
        return f"/v1/admin/orgs/{org}" + (f"/groups/{group}" if tilde else "")
    kind = world.service.kinds.get(item.kind)
    if kind is None:
        return f"/v1/users/{item.name}"
    return f"/v1/users/{item.owner}/{kind.family}/{kind.folder}/{item.name}"


def page_path(world: World, item: Item, below: str = "") -> str:
    """The page of an item, or of its run that lies at the path below it; "" for kinds without pages."""
    owner = item.owner.lstrip("@+")
    if item.kind == GroupKind.USER_GROUP:
        return f"/u/{owner}/grp/{item.name}"
    if item.kind in GROUP_KINDS:
        return f"/o/{owner}" + (f"/g/{item.name}" if item.kind == GroupKind.ORG_GROUP else "")
    kind = world.service.kinds.get(item.kind)
    if kind is None:
        return f"/u/{item.name}"
    if not kind.paged and kind.family != VISUALS:
        return ""
    folder, _, run = below.partition("/")
    return f"/u/{owner}/{kind.letter}/{item.name}" + (f"/{run}" if folder == "runs" and run else "")
