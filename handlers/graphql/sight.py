"""Sight: what a caller may read, by the rules that stand at the places of the tree themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from handlers.rules.kinds import ResourceKind
from handlers.services.rights import item_access
from handlers.services.world import World
from handlers.trees.facets.scopes import GROUP
from vfs.access import Verb
from vfs.call import Call
from vfs.path import Path
from vfs.permission import allowed_verbs
from vfs.ports.groups import GroupKind, Standing
from vfs.ports.items import Found
from vfs.spot import Spot, Visit
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
    """The places of a tree as one caller stands there, without a look-up for each."""

    def __init__(self, tree: Tree, spots: Mapping[str, Spot], call: Call[World]) -> None:
        self._tree = tree
        self._spots = spots
        self._call = call
        self._known: dict[tuple[object, ...], bool] = {}
        self._memo: dict[str, Any] = {}

    def at(self, template: str) -> Visit[World]:
        """The place of a path without names."""
        visit: Visit[World] = Visit(
            self._tree.advice, self._call, self._spots[template], Path(template.strip("/").split("/"))
        )
        visit.memo = self._memo
        return visit

    def item(self, found: Found, kind: ResourceKind) -> Visit[World]:
        """The folder of an item that the caller has anything of."""
        item, home = found.item, self._tree.homes[kind.name]
        visit: Visit[World] = Visit(
            self._tree.advice,
            self._call,
            home,
            Path(("v1", "users", item.owner, kind.family, kind.folder, item.name)),
        )
        visit.enter(
            item, found.reaches, item_access(self._call.world, found, self._call.caller), kind.confers
        )
        return visit

    def group(self, standing: Standing, template: str) -> Visit[World]:
        """The folder of a group that the caller sees."""
        visit = self.at(template)
        visit.match(GROUP, standing.group.ref, standing)
        visit.spot.step_in(visit)
        return visit

    def note_option(self, ref: str, option: str, shown: bool) -> None:
        """Keep a visibility option of a group, which its rules would look up one by one."""
        self._memo[f"{ref} {option}"] = shown

    def may_read(self, visit: Visit[World], *names: str) -> bool:
        """Whether the caller may read what lies there below a place; asked once for all that are alike."""
        item = visit.item
        alike = (visit.spot.template, visit.owned, visit.access, visit.reaches, names)
        key = alike if item is not None and item.kind in self._tree.homes else (*alike, visit.asked, item)
        if key not in self._known:
            self._known[key] = Verb.READ in allowed_verbs(below(visit, *names))
        return self._known[key]


class Shown(NamedTuple):
    """An item, and the place at which its rules are asked."""

    found: Found
    place: Visit[World]


def readable(sight: Sight, shown: Sequence[Shown], name: str) -> dict[int, Shown]:
    """Those of which the caller may read what lies below by a name, by the numbers of their items."""
    return {
        one.found.item.id: one
        for one in shown
        if name in one.place.spot.children and sight.may_read(one.place, name)
    }


def below(visit: Visit[World], *names: str) -> Visit[World]:
    """The place of a path below another one."""
    for name in names:
        spot = visit.spot.children[name]
        visit = visit.child(name, spot)
        spot.step_in(visit)
    return visit
