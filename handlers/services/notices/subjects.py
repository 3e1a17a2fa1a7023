"""The things that notices are about: where each is now, and what it is called."""

from __future__ import annotations

from handlers.services.world import World
from vfs.ports.groups import GroupKind
from vfs.ports.items import Item

GROUP_KINDS = frozenset(GroupKind)
INVITE = "invite"


def thing_name(item: Item) -> str:
    """The kind and the name of an item, as a sentence has it."""
    return f"{item.kind.replace('_', ' ')} {item.name}"


def group_ref(item: Item) -> str:
    """The reference of the group whose item it is; of a user's item the `@` and its name."""
    if item.kind == GroupKind.ORG:
        return item.owner
    return f"{item.owner}~{item.name}" if item.kind in GROUP_KINDS else f"@{item.name}"


def api_path(world: World, item: Item, below: str = "") -> str:
    """The path at which an item is read, or what lies at the path below it."""
    kind, tail = world.service.kinds.get(item.kind), f"/{below}" if below else ""
    if item.kind in GROUP_KINDS:
        return f"{_group_path(item, administered=not below)}{tail}"
    if kind is None:
        return f"/v1/users/{item.name}{tail}"
    return f"/v1/users/{item.owner}/{kind.family}/{kind.folder}/{item.name}{tail}"


def _group_path(item: Item, *, administered: bool) -> str:
    """The path at which a group is administered, or at which its members read and write."""
    owner, root = item.owner[1:], "/v1/admin" if administered else "/v1"
    if item.kind == GroupKind.USER_GROUP:
        return (
            f"/v1/admin/groups/{group_ref(item)}" if administered else f"/v1/users/{owner}/groups/{item.name}"
        )
    return f"{root}/orgs/{owner}" + (f"/groups/{item.name}" if item.kind == GroupKind.ORG_GROUP else "")


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
    if not kind.has_page:
        return ""
    folder, _, run = below.partition("/")
    return f"/u/{owner}/{kind.letter}/{item.name}" + (f"/{run}" if folder == "runs" and run else "")
