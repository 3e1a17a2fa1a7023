"""Tags of a resource: the caller's own (system and user tags), and categories that all users see."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType

from handlers.services.world import World
from vfs.access import Verb
from vfs.context import Context
from vfs.errors import Invalid
from vfs.nodes import Each, File, Named
from vfs.param import Param
from vfs.path import ANY_NAME
from vfs.ports.leaves import Leaf, Mark
from vfs.ports.social import CATEGORY, tag_rel
from vfs.rules import COVERED, INFO, OWNER, SIGNED_IN, Rule, W

# System tags, with their display names.
SYSTEM: Mapping[str, str] = MappingProxyType(
    {
        "fav": "Favorite",
        "like": "Like",
        "ignore": "Ignore",
        "wip": "Work in progress",
        "archived": "Archived",
    }
)
OWN = re.compile(r"[+=][a-z0-9][a-z0-9_-]{0,63}")
OF_ALL = Rule(
    "the owner for categories",
    lambda p: (OWNER & W).test(p) or not p.name.startswith(CATEGORY),
    "its owner for a category, which everybody sees",
)
TAGGER = INFO & SIGNED_IN
WRITER = TAGGER & COVERED


def is_tag(name: str) -> bool:
    """Return whether a name is a valid tag."""
    return name in SYSTEM or OWN.fullmatch(name) is not None


def visible_tags(context: Context[World]) -> Iterator[Named]:
    """Yield the caller's own tags and the categories, by name."""
    kept = context.world.leaves
    marks: list[Mark] = [
        *kept.under(context.here.id, f"tags/@{context.me}"),
        *kept.under(context.here.id, f"tags/{CATEGORY}"),
    ]
    for mark in sorted(marks, key=lambda mark: mark.rel.rsplit("/", 1)[-1]):
        yield Named(mark.rel.rsplit("/", 1)[-1], mark.created_on, mark.last_modified, mark)


def find_tag(context: Context[World], name: str) -> Leaf | None:
    """Return the tag of that name if it is set."""
    return context.world.leaves.get(context.here.id, tag_rel(name, context.me))


def tag(context: Context[World]) -> str:
    """Set a tag."""
    name = context.name
    if not is_tag(name):
        system = ", ".join(sorted(SYSTEM))
        raise Invalid(
            f'"{name[:80]}" is no tag: use {system}, "+name" for one of your own, "=name" for a category'
        )
    context.world.leaves.put(context.here.id, tag_rel(name, context.me), "", context.me)
    return f"tagged {context.here.name} as {name}\n"


def untag(context: Context[World]) -> str:
    """Remove a tag from the resource."""
    context.world.leaves.clear(context.here.id, tag_rel(context.name, context.me))
    return f"took the tag {context.name} off {context.here.name}\n"


def tags() -> Each[Leaf]:
    """Return the node `tags` of a resource of any kind."""
    return Each(
        Param("tag"),
        File(lambda context: "", fixed=True, rules={Verb.READ: INFO}, about="a tag"),
        names=visible_tags,
        has=find_tag,
        create=tag,
        remove=untag,
        name=ANY_NAME,
        again=True,
        candid=True,
        rules={Verb.READ: TAGGER, Verb.CREATE: WRITER & OF_ALL, Verb.REMOVE: WRITER & OF_ALL},
        still=True,
        about="tags that the caller sees",
    )
