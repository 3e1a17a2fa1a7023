"""The file `seen_by` of a resource: for its owner, who sees it, in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from handlers.services.world import World
from vfs.access import Verb
from vfs.call import Data
from vfs.nodes import File
from vfs.parts import value
from vfs.place import Place
from vfs.rules import OWNER, R

PUBLIC, MOST_NAMED = "public", 3


def read_audience(place: Place[World]) -> Data:
    """Readers of an item by its shares: people, groups with how many of them, and whether everybody does."""
    world, item = place.world, place.here
    holders = world.grants.holders(item.id)
    people = [holder.user for holder in holders if "~" not in holder.grant.target]
    groups = Counter(holder.grant.target for holder in holders if "~" in holder.grant.target)
    owner = world.people.users.find(item.owner)
    is_shared = any(grant.target == PUBLIC for grant in world.grants.on(item.id))
    is_public = is_shared and owner is not None and owner.public
    facts = {
        "words": _words(people, groups, is_public=is_public),
        "people": people,
        "groups": [{"group": group, "people": count} for group, count in sorted(groups.items())],
        "public": is_public,
    }
    return Data(facts, lambda told: f"{told['words']}\n")


def _words(people: Sequence[str], groups: Counter[str], *, is_public: bool) -> str:
    """One sentence: `You, @bob, and the 12 people of @ann~birds; not public`."""
    if is_public:
        return "Everybody: it is public"
    named = [f"@{name}" for name in people[:MOST_NAMED]]
    if len(people) > MOST_NAMED:
        named.append(f"{len(people) - MOST_NAMED} more people")
    told = sorted(groups.items())
    named += [
        f"the {count} {'people' if count > 1 else 'person'} of {name}" for name, count in told[:MOST_NAMED]
    ]
    if len(told) > MOST_NAMED:
        named.append(f"the people of {len(told) - MOST_NAMED} more groups")
    if not named:
        return "You alone; not public"
    *first, last = ["You", *named]
    return f"{', '.join(first)}{',' if len(first) > 1 else ''} and {last}; not public"


def audience() -> File:
    """The node `seen_by` of a resource of any kind: its owner's, and absent to everybody else."""
    mine = OWNER & R
    return value(
        read_audience,
        rules={Verb.READ: mine},
        listed=mine,
        veiled=True,
        about="who sees it, in words; for its owner alone",
    )
