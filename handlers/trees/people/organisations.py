"""Organisations as they are read, with their groups."""

from __future__ import annotations

from collections.abc import Iterator

from handlers.rules.kinds import Kinds
from handlers.services.world import World
from handlers.trees.facets.scopes import GROUP, ORG
from handlers.trees.people.activity import TAKES_PART, activity
from handlers.trees.people.group_admin import find_org, find_org_group, group_row, list_org_groups
from handlers.trees.people.group_views import group_view, view
from handlers.trees.people.standing import SEES
from vfs.access import Verb
from vfs.nodes import Dir, Each, Named
from vfs.place import Place
from vfs.ports.groups import Standing
from vfs.rules import SIGNED_IN


def _list_orgs(place: Place[World]) -> Iterator[Named]:
    """The organisations that the caller sees."""
    for one in place.world.people.groups.orgs(place.me):
        yield group_row(one.group.name, one)


STATS = Dir(
    {"activity": activity()},
    rules={Verb.READ: TAKES_PART},
    listed=TAKES_PART,
    veiled=SIGNED_IN,
    about="figures",
)


def organisations(kinds: Kinds) -> Each[Standing]:
    """The node `/v1/orgs`."""
    return Each(
        ORG,
        view(
            profile={"stats": STATS},
            groups=Each(
                GROUP,
                group_view(kinds),
                names=list_org_groups,
                has=find_org_group,
                fixed=True,
                rules={Verb.READ: SEES},
                about="its groups: all for its admins and founders, for others those they are in",
            ),
        ),
        names=_list_orgs,
        has=find_org,
        fixed=True,
        rules={Verb.READ: SIGNED_IN},
        about="organisations that the caller sees",
    )
