"""Organisations as they are read, with their groups."""

from __future__ import annotations

from collections.abc import Iterator

from handlers.trees.activity import TAKES_PART, activity
from handlers.trees.group_lists import named
from handlers.trees.group_views import group_view, view
from handlers.trees.groups import known_group, listed_groups
from handlers.trees.standing import SEES
from vfs.access import SIGNED_IN, Verb
from vfs.groups import Standing
from vfs.nodes import Dir, Each, Named
from vfs.place import Place


def _listed(place: Place) -> Iterator[Named]:
    """The organisations that the caller sees."""
    for one in place.world.groups.orgs(place.me):
        yield named(one.group.name, one)


def _known(place: Place, name: str) -> Standing | None:
    """The organisation, when the caller sees it, or sees the group of it that the path leads to."""
    groups, me = place.world.groups, place.caller.name
    if me is None:
        return None
    found: Standing | None = groups.find(f"+{name}", me)
    if found is None or found.seen:
        return found
    match place.asked[1:5]:
        case ("orgs", _, "groups", group):
            below = groups.find(f"+{name}~{group}", me)
            return found if below is not None and below.seen else None
    return None


STATS = Dir(
    {"activity": activity()},
    rules={Verb.READ: TAKES_PART},
    listed=TAKES_PART,
    veiled=SIGNED_IN,
    about="figures",
)

ORGS_READ = Each(
    "org",
    view(
        profile={"stats": STATS},
        groups=Each(
            "group",
            group_view(),
            names=listed_groups,
            has=known_group,
            fixed=True,
            rules={Verb.READ: SEES},
            about="its groups: all for its admins and founders, for others those they are in",
        ),
    ),
    names=_listed,
    has=_known,
    fixed=True,
    rules={Verb.READ: SIGNED_IN},
    about="organisations that the caller sees",
)
