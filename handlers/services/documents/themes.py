"""Themes of organisations, for documents of their members."""

from __future__ import annotations

import re
from typing import NamedTuple

from handlers.services.rights import readers_behind
from handlers.services.viewer import Viewer
from handlers.services.world import World
from vfs.ports.groups import GroupRelation
from vfs.ports.items import Item
from vfs.ports.leaves import digest_of, text_at

THEME = "config/theme"
BUILT_IN = ("novem", "custom")
DIGESTS = {digest_of(name) for name in BUILT_IN}
ORG_THEME = re.compile(r"(\+[a-z0-9_-]+)/([a-z0-9_-]+)")


class ThemeLeaf(NamedTuple):
    """A theme: a file of the item that holds an organisation's profile."""

    org: Item
    rel: str


def theme_note(viewer: Viewer, theme_digest: str) -> tuple[str, ...]:
    """Return a sentence about a theme that a document names but may not use, if any."""
    named = text_at(viewer.world.leaves, viewer.item.id, THEME).strip()
    if theme_digest or not named or named in BUILT_IN:
        return ()
    return (
        f"config/theme: {named[:80]} is no theme that @{viewer.item.owner} and who named it last may use; "
        "novem is shown instead",
    )


def theme_of(world: World, document: Item, digest: str) -> ThemeLeaf | None:
    """Return the theme that a document names, whose `config/theme` has this digest.

    Returns None for a built-in theme, and unless both the owner and the person who named the theme last have
    a role in the organisation.
    """
    if not digest or digest in DIGESTS:
        return None
    leaf = world.leaves.get(document.id, THEME)
    if leaf is None or (found := ORG_THEME.fullmatch((leaf.text or "").strip())) is None:
        return None
    relations = [
        world.people.groups.find(found[1], person) for person in readers_behind(world, document, leaf.author)
    ]
    inside = [one for one in relations if one is not None and _is_inside(one)]
    if not inside or len(inside) < len(relations):
        return None
    return ThemeLeaf(inside[0].group.item, f"themes/{found[2]}")


def unusable_theme(world: World, document: Item, person: str) -> str | None:
    """Return the organisation's theme that a document names and a person may not use, as shown to users."""
    named = text_at(world.leaves, document.id, THEME).strip()
    found = ORG_THEME.fullmatch(named)
    relation = world.people.groups.find(found[1], person) if found else None
    if found is None or (relation is not None and _is_inside(relation)):
        return None
    return f"the theme {named}"


def _is_inside(relation: GroupRelation) -> bool:
    return relation.role is not None or relation.inside
