"""Tags of a resource: the caller's own (system and user tags), and categories that everybody sees."""

from __future__ import annotations

import re
from collections.abc import Iterator

from vfs.access import INFO, SIGNED_IN, Rule, Verb, W
from vfs.errors import Invalid
from vfs.nodes import Each, File, Named
from vfs.path import ANY_NAME
from vfs.place import Place
from vfs.world import Mark

SYSTEM = frozenset({"fav", "like", "ignore", "wip", "archived"})
OWN = re.compile(r"[+=][a-z0-9][a-z0-9_-]{0,63}")
OF_ALL = Rule(
    "w for categories",
    lambda p: W.test(p) or not p.name.startswith("="),
    "write access (w) for a category, which everybody sees",
)
TAGGER = INFO & SIGNED_IN


def _rel(place: Place, name: str) -> str:
    """Where a tag is kept: categories in one place for all, others per caller."""
    return f"tags/{'=' if name.startswith('=') else f'@{place.me}'}/{name}"


def seen(place: Place) -> Iterator[Named]:
    """The caller's own tags and the categories, by name."""
    kept = place.world.leaves
    marks: list[Mark] = [
        *kept.under(place.here.id, f"tags/@{place.me}"),
        *kept.under(place.here.id, "tags/="),
    ]
    for mark in sorted(marks, key=lambda mark: mark.rel.rsplit("/", 1)[-1]):
        yield Named(mark.rel.rsplit("/", 1)[-1], mark.created_on, mark.last_modified, mark)


def known(place: Place, name: str) -> object:
    """The tag of that name, when it is set."""
    return place.world.leaves.get(place.here.id, _rel(place, name))


def tag(place: Place) -> str:
    """Set a tag."""
    name = place.name
    if name not in SYSTEM and not OWN.fullmatch(name):
        system = ", ".join(sorted(SYSTEM))
        raise Invalid(
            f'"{name[:80]}" is no tag: use {system}, "+name" for one of your own, "=name" for a category'
        )
    place.world.leaves.put(place.here.id, _rel(place, name), "", place.me)
    return f"tagged {place.here.name} as {name}\n"


def untag(place: Place) -> str:
    """Take a tag off."""
    place.world.leaves.clear(place.here.id, _rel(place, place.name))
    return f"took the tag {place.name} off {place.here.name}\n"


def tags() -> Each:
    """The node `tags` of a resource of any kind."""
    return Each(
        "tag",
        File(lambda place: "", fixed=True, rules={Verb.READ: INFO}, about="a tag"),
        names=seen,
        has=known,
        create=tag,
        remove=untag,
        name=ANY_NAME,
        again=True,
        candid=True,
        rules={Verb.READ: TAGGER, Verb.CREATE: TAGGER & OF_ALL, Verb.REMOVE: TAGGER & OF_ALL},
        about="tags that the caller sees",
    )
