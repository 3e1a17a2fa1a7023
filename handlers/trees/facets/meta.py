"""Entries of every resource: names, texts, short id, address, shares, tags and notification level."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from handlers.rules.kinds import ResourceKind
from handlers.services.descriptions import description_html
from handlers.services.hints import hints_of
from handlers.services.world import World
from handlers.trees.facets.access import access
from handlers.trees.facets.activity import activity
from handlers.trees.facets.audience import audience
from handlers.trees.facets.renames import used_by
from handlers.trees.facets.shares import shares
from handlers.trees.facets.tags import tags
from vfs.access import Verb
from vfs.nodes import File, Node, Rules
from vfs.parts import SEEN_BY_ALL, line, mine, text, value
from vfs.place import Place
from vfs.ports.items import Item
from vfs.ports.social import CATEGORY
from vfs.rules import INFO
from vfs.texts import several_texts


def markdown(about: str, rules: Rules = MappingProxyType({})) -> File:
    """Markdown text whose JSON face is `{raw, html}`."""
    return text(about=about, data=_faces, rules=rules)


def _faces(place: Place[World], raw: str) -> dict[str, str]:
    return {"raw": raw, "html": description_html(place.world, raw, place.here.owner)}


def meta(kind: ResourceKind, rules: Rules = MappingProxyType({})) -> Mapping[str, Node]:
    """The entries that resources of every kind share; `rules` are unusual ones of its texts."""
    return {
        "name": line(about="display name", rules={**rules, Verb.READ: INFO}),
        "summary": line(about="one line about it", rules=rules),
        "description": markdown("long text, markdown", rules=rules),
        "shortname": value(lambda p: p.here.shortname, rules=SEEN_BY_ALL, about="short id, made at creation"),
        "url": value(
            lambda p: kind.page(hints_of(p.call).origin, p.here),
            rules=SEEN_BY_ALL,
            about="canonical web address",
        ),
        "notifications": mine(
            "ignore", "info", "important", default="info", about="how much of it reaches the caller's inbox"
        ),
        "shared": shares(kind),
        "access": access(),
        "activity": activity(rules),
        "seen_by": audience(),
        "tags": tags(),
        "used_by": used_by(kind),
        "texts": several_texts(),
    }


def with_tags(place: Place[World], copy: Item) -> None:
    """A copy takes the caller's own tags along (interface, Documents); an owner's are the categories, too."""
    leaves = place.world.leaves
    for by in (f"@{place.me}", *((CATEGORY,) if place.owned else ())):
        for mark in leaves.under(place.here.id, f"tags/{by}"):
            leaves.put(copy.id, mark.rel, "", place.me)
