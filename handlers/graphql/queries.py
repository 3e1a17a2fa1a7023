"""The top fields of a query: each finds the objects that it names, and returns their rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from graphql import GraphQLResolveInfo

from handlers.graphql.asking import Ask
from handlers.graphql.bounds import page
from handlers.graphql.items import tag_row
from handlers.graphql.selection import Row, selection_of
from handlers.rules.kinds import ResourceKind
from handlers.services.rights import item_access
from handlers.trees.account.tags import labels
from handlers.trees.people.group_admin import find_user_group
from handlers.trees.people.group_relation import visible_group
from vfs.path import is_segment
from vfs.ports.groups import GroupKind, GroupRelation
from vfs.ports.items import Found

GROUPS, OWN_TAGS = "/v1/groups", "/v1/admin/tags"


def me(_: object, info: GraphQLResolveInfo[Any]) -> Row | None:
    """Return the caller, or None for the public."""
    ask: Ask = info.context
    if ask.me is None:
        return None
    wanted = selection_of(info)
    return ask.spend([ask.load.people(ask, [ask.me], wanted)[ask.me]], wanted)[0]


def users(
    _: object,
    info: GraphQLResolveInfo[Any],
    username: str | None = None,
    limit: int | None = None,
    offset: int | None = None,
) -> list[Row]:
    """Return the users that the caller sees, by name; with `username`, only this one."""
    ask: Ask = info.context
    found = [name for name in ask.people() if username in (None, name)]
    names, wanted = found[page(limit, offset)], selection_of(info)
    rows = ask.load.people(ask, names, wanted)
    return ask.spend([rows[name] for name in names], wanted)


def groups(
    _: object,
    info: GraphQLResolveInfo[Any],
    id: str | None = None,
    name: str | None = None,
    type: str | None = None,
    parent_group: str | None = None,
) -> list[Row]:
    """Return the named group, or the caller's own groups of a type."""
    ask: Ask = info.context
    if ask.me is None or not ask.sees_groups or not ask.sight.may_read(ask.sight.at(GROUPS)):
        return []
    wanted, meant = selection_of(info), id or name or None
    kind = GroupKind(type) if type is not None else None
    if meant is None:
        own = [one for one in ask.relations() if one.role is not None]
        found = [one for one in own if kind in (None, one.group.kind)]
    else:
        found = _meant(ask, meant, kind, parent_group)
    return ask.spend(ask.load.groups(ask, found, wanted), wanted)


def _meant(ask: Ask, name: str, kind: GroupKind | None, parent: str | None) -> list[GroupRelation]:
    """Return the group with this name if the caller sees it, found as in the folders of groups."""
    if not (is_segment(name) and is_segment(parent or name)):
        return []
    context = ask.sight.at(GROUPS)
    found = None
    if kind in (None, GroupKind.USER_GROUP) and parent is None:
        found = find_user_group(context, name) if name[0] != "+" else None
    if found is None and kind in (None, GroupKind.ORG) and parent is None:
        found = visible_group(context, f"+{name.removeprefix('+')}")
    if found is None and kind in (None, GroupKind.ORG_GROUP) and parent is not None:
        found = visible_group(context, f"+{parent.removeprefix('+')}~{name}")
    return [found] if found is not None and kind in (None, found.group.kind) else []


def tags(_: object, info: GraphQLResolveInfo[Any], limit: int | None = None) -> list[Row]:
    """Return the caller's tags."""
    ask: Ask = info.context
    context = ask.sight.at(OWN_TAGS)
    if ask.me is None or not ask.sight.may_read(context):
        return []
    known = list(labels(context).values())
    rows = [tag_row(one.tag, one.fields.get("name", "")) for one in known[page(limit, None)]]
    return ask.spend(rows, selection_of(info))


def items(
    _: object,
    info: GraphQLResolveInfo[Any],
    id: str | None = None,
    author: str | None = None,
    limit: int | None = None,
    offset: int | None = None,
) -> list[Row]:
    """Return the resources to which the caller has access: by name, by author, or all.

    The field has the name of the kind's folder.
    """
    ask: Ask = info.context
    kind = next(kind for kind in ask.world.service.kinds.values() if kind.folder == info.field_name)
    found, wanted = _select(ask, kind, id, author)[page(limit, offset)], selection_of(info)
    return ask.spend(ask.load.items(ask, kind, found, wanted), wanted)


def _select(ask: Ask, kind: ResourceKind, id: str | None, author: str | None) -> Sequence[Found]:
    """Return the selected items. For a name without an author, the caller's own comes first.

    For the public, only items of a named author are found, and only of kinds with short paths.
    """
    if ask.me is None and (author is None or not kind.aliased):
        return []
    if not all(is_segment(name) for name in (id, author) if name is not None):
        return []
    if id is None:
        return ask.visible(kind.name, author)
    if author is not None:
        return _look_up(ask, kind.name, author, id)
    named = [one for one in ask.visible(kind.name, None) if one.item.name == id]
    return sorted(named, key=lambda one: one.item.owner != ask.me)


def _look_up(ask: Ask, kind: str, author: str, id: str) -> Sequence[Found]:
    found = ask.world.items.all_named(kind, [(author, id)], (), ask.me)
    return [one for one in found if item_access(ask.world, one, ask.caller)]


def images(
    _: object,
    info: GraphQLResolveInfo[Any],
    id: str | None = None,
    author: str | None = None,
    limit: int | None = None,
    offset: int | None = None,
) -> list[Row]:
    """Return the images of the repos to which the caller has access."""
    ask: Ask = info.context
    wanted = selection_of(info)
    rows = ask.load.images(ask, _select(ask, ask.world.service.kinds["repo"], id, author), wanted)
    return ask.spend(rows[page(limit, offset)], wanted)


def computers(
    _: object,
    info: GraphQLResolveInfo[Any],
    id: str | None = None,
    author: str | None = None,
    limit: int | None = None,
    offset: int | None = None,
) -> list[Row]:
    """Return an empty list: there are no computers here."""
    return []


RESOLVERS: Mapping[str, Callable[..., Any]] = {
    "me": me,
    "users": users,
    "groups": groups,
    "tags": tags,
    "computers": computers,
    "images": images,
}
"""The resolvers of the top fields, by name. All other top fields are folders of resources."""
