"""The file `seen_by` of a resource: shows its owner in words who may see it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from handlers.services.world import World
from handlers.trees.facets.links import is_open
from vfs.access import Verb
from vfs.call import Data
from vfs.context import Context
from vfs.nodes import File
from vfs.parts import value
from vfs.rules import OWNER, R

PUBLIC, MOST_NAMED = "public", 3
MOST_COUNTED = 500
"""Most shares listed, and most people counted in a group, because each view of a page asks for them."""


def read_audience(context: Context[World]) -> Data:
    """Return who may see an item: users, groups with their sizes, the public, and people with a link.

    Lists and counts at most MOST_COUNTED shares and people of a group; `more` says there may be others.
    """
    world, item = context.world, context.here
    reached = world.grants.grant_counts(item.id, MOST_COUNTED)
    people = [target.removeprefix("@") for target in reached if "~" not in target and target != PUBLIC]
    groups = {target: count for target, count in reached.items() if "~" in target}
    owner = world.people.users.find(item.owner)
    is_public = PUBLIC in reached and owner is not None and owner.public
    more = len(reached) == MOST_COUNTED
    links = sum(is_open(world, link) for link in world.social.links.of(item.id))
    facts = {
        "words": _words(people, groups, links, is_public=is_public, more=more),
        "people": people,
        "groups": [{"group": group, "people": count} for group, count in groups.items()],
        "public": is_public,
        "links": links,
        "more": more or MOST_COUNTED in groups.values(),
    }
    return Data(facts, lambda reported: f"{reported['words']}\n")


def _words(
    people: Sequence[str], groups: Mapping[str, int], links: int, *, is_public: bool, more: bool
) -> str:
    """Return one sentence: `You, @bob, and the 12 people of @ann~birds; not public`."""
    if is_public:
        return "Everybody: it is public"
    named = [f"@{name}" for name in people[:MOST_NAMED]]
    if len(people) > MOST_NAMED:
        named.append(f"{len(people) - MOST_NAMED} more people")
    listed = list(groups.items())
    named += [f"the {_people(count)} of {name}" for name, count in listed[:MOST_NAMED]]
    if len(listed) > MOST_NAMED:
        named.append(f"the people of {len(listed) - MOST_NAMED} more groups")
    if more:
        named.append("others")
    if links:
        named.append("everybody with its link" if links == 1 else f"everybody with one of its {links} links")
    if not named:
        return "You alone; not public"
    *first, last = ["You", *named]
    return f"{', '.join(first)}{',' if len(first) > 1 else ''} and {last}; not public"


def _people(count: int) -> str:
    if count >= MOST_COUNTED:
        return f"{MOST_COUNTED} or more people"
    return f"{count} {'people' if count > 1 else 'person'}"


def audience() -> File:
    """Return the node `seen_by` of a resource of any kind, hidden for everyone but its owner."""
    mine = OWNER & R
    return value(
        read_audience,
        rules={Verb.READ: mine},
        listed=mine,
        hidden=True,
        about="who sees it, in words; for its owner only",
    )
