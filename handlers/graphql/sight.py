"""Sight: the paths that a caller may read, by the rules of the tree's routes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from handlers.rules.kinds import ResourceKind
from handlers.services.rights import item_access
from handlers.services.world import World
from handlers.trees.facets.contexts import GROUP
from vfs.access import Verb
from vfs.call import Call
from vfs.path import Path
from vfs.permission import allowed_verbs
from vfs.ports.groups import GroupKind, GroupRelation
from vfs.ports.items import Found
from vfs.route import Route, RoutedContext
from vfs.tree import Tree

VIEWS: Mapping[GroupKind, str] = {
    GroupKind.USER_GROUP: "/v1/groups/:group",
    GroupKind.ORG_GROUP: "/v1/groups/:group",
    GroupKind.ORG: "/v1/orgs/:org",
}
PROFILES: Mapping[GroupKind, str] = {
    GroupKind.USER_GROUP: "/v1/admin/groups/:group",
    GroupKind.ORG_GROUP: "/v1/admin/orgs/:org/groups/:group",
    GroupKind.ORG: "/v1/admin/orgs/:org",
}


class Sight:
    """The contexts of a tree for one caller, without a look-up for each."""

    def __init__(self, tree: Tree, routes: Mapping[str, Route], call: Call[World]) -> None:
        self._tree = tree
        self._routes = routes
        self._call = call
        self._known: dict[tuple[object, ...], bool] = {}
        self._memo: dict[str, Any] = {}

    def at(self, template: str) -> RoutedContext[World]:
        """Return the context of a path without names."""
        context: RoutedContext[World] = RoutedContext(
            self._tree.advice, self._call, self._routes[template], Path(template.strip("/").split("/"))
        )
        context.memo = self._memo
        return context

    def item(self, found: Found, kind: ResourceKind) -> RoutedContext[World]:
        """Return the context of an item's folder. The caller has some access to the item."""
        item, canonical = found.item, self._tree.canonical_routes[kind.name]
        context: RoutedContext[World] = RoutedContext(
            self._tree.advice,
            self._call,
            canonical,
            Path(("v1", "users", item.owner, kind.family, kind.folder, item.name)),
        )
        context.enter(
            item,
            found.effective_grants,
            item_access(self._call.world, found, self._call.caller),
            kind.confers,
        )
        return context

    def group(self, relation: GroupRelation, template: str) -> RoutedContext[World]:
        """Return the context of a group's folder. The caller sees the group."""
        context = self.at(template)
        context.match(GROUP, relation.group.ref, relation)
        context.route.step_in(context)
        return context

    def note_option(self, ref: str, option: str, shown: bool) -> None:
        """Keep a group's visibility option, so that the rules do not look it up one by one."""
        self._memo[f"{ref} {option}"] = shown

    def may_read(self, context: RoutedContext[World], *names: str) -> bool:
        """Return whether the caller may read a path below a context. Equal cases are checked once."""
        item = context.item
        alike = (context.route.template, context.owned, context.access, context.effective_grants, names)
        key = (
            alike
            if item is not None and item.kind in self._tree.canonical_routes
            else (*alike, context.requested, item)
        )
        if key not in self._known:
            self._known[key] = Verb.READ in allowed_verbs(below(context, *names))
        return self._known[key]


class Shown(NamedTuple):
    """An item, and the context in which its rules are checked."""

    found: Found
    context: RoutedContext[World]


def readable(sight: Sight, shown: Sequence[Shown], name: str) -> dict[int, Shown]:
    """Return those whose file of this name the caller may read, by item id."""
    return {
        one.found.item.id: one
        for one in shown
        if name in one.context.route.children and sight.may_read(one.context, name)
    }


def below(context: RoutedContext[World], *names: str) -> RoutedContext[World]:
    """Return the context of a path below another context."""
    for name in names:
        route = context.route.children[name]
        context = context.child(name, route)
        route.step_in(context)
    return context
