"""Entries of short paths: pictures of profiles, and resources by letter."""

from __future__ import annotations

from collections.abc import Callable

from handlers.rules.kinds import Kinds, ResourceKind, kinds_by_letter
from handlers.services.world import World
from vfs.access import Verb
from vfs.call import Data
from vfs.errors import NotFound
from vfs.nodes import File, Node
from vfs.parts import value
from vfs.place import Place
from vfs.ports.world import Ref
from vfs.rules import Rule


def letters(kinds: Kinds, entry: Callable[[ResourceKind], Node], rule: Rule) -> dict[str, Node]:
    """An entry for each kind by its letter, and `v` for views, which there are none of."""
    views = value(lambda place: Data([]), rules={Verb.READ: rule}, about="views: none")
    return {**{kind.letter: entry(kind) for kind in kinds_by_letter(kinds)}, "v": views}


def picture(which: str, profile: Callable[[Place[World]], int], rule: Rule, about: str) -> File:
    """A picture of the profile that `profile` finds by its item."""

    def read(place: Place[World]) -> Ref:
        leaf = place.world.leaves.get(profile(place), f"picture/{which}")
        if leaf is None or leaf.blob is None:
            raise NotFound(f"there is no picture at {place.asked} yet")
        return leaf.blob

    return value(read, rules={Verb.READ: rule}, about=about)
