"""Organisations as they are read, with their groups."""

from __future__ import annotations

from collections.abc import Iterator

from handlers.rules.kinds import Kinds
from handlers.services.world import World
from handlers.trees.facets.scopes import GROUP, ORG
from handlers.trees.people.activity import TAKES_PART, activity
from handlers.trees.people.group_admin import known_group, known_org, listed_groups
from handlers.trees.people.group_lists import named
from handlers.trees.people.group_views import group_view, view
from handlers.trees.people.standing import SEES
from vfs.access import Verb
from vfs.nodes import Dir, Each, Named
from vfs.place import Place
from vfs.ports.groups import Standing
from vfs.rules import SIGNED_IN


def _listed(place: Place[World]) -> Iterator[Named]:
    """The organisations that the caller sees."""
    for one in place.world.people.groups.orgs(place.me):
        yield named(one.group.name, one)


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
                names=listed_groups,
                has=known_group,
                fixed=True,
                rules={Verb.READ: SEES},
                about="its groups: all for its admins and founders, for others those they are in",
            ),
        ),
        names=_listed,
        has=known_org,
        fixed=True,
        rules={Verb.READ: SIGNED_IN},
        about="organisations that the caller sees",
    )
