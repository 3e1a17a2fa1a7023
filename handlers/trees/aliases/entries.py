"""Entries of short paths: pictures of profiles, and resources by letter."""

from __future__ import annotations

from collections.abc import Callable

from handlers.rules.kinds import Kinds, ResourceKind, kinds_by_letter
from handlers.services.world import World
from vfs.access import Verb
from vfs.call import Data
from vfs.nodes import File, Node
from vfs.parts import value
from vfs.place import Place
from vfs.ports.blobs import Ref
from vfs.rules import PRESENT, Rule


def letters(kinds: Kinds, entry: Callable[[ResourceKind], Node], rule: Rule) -> dict[str, Node]:
    """An entry for each kind by its letter, and `v` for views, which there are none of."""
    views = value(lambda place: Data([]), rules={Verb.READ: rule}, about="views: none")
    return {**{kind.letter: entry(kind) for kind in kinds_by_letter(kinds)}, "v": views}


def picture(which: str, profile: Callable[[Place[World]], int], rule: Rule, about: str) -> File:
    """A picture of the profile that `profile` finds by its item; while none is set it is but a name."""

    def find(place: Place[World]) -> Ref | None:
        def ask() -> Ref | None:
            leaf = place.world.leaves.get(profile(place), f"picture/{which}")
            return leaf.blob if leaf is not None else None

        return place.once(f"picture {place.asked}", ask)

    seen = rule & PRESENT & Rule("it is set", lambda p: find(p) is not None, "a picture that was set")
    return value(find, rules={Verb.READ: seen}, veiled=PRESENT, about=about)
