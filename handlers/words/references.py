"""References of a text to items: their positions, and the text with changed references."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import NamedTuple

REFERENCE = re.compile(r"(?:/u/(?P<owner>[^/]+))?/(?P<kind>[a-z])/(?P<name>[^/]+)(?P<leaf>/[av]/[^/]+)?")


class ReferencePlace(NamedTuple):
    """A reference to an item: the position of its kind's letter, owner ("": the text's), kind and name."""

    start: int
    owner: str
    kind: str
    name: str


class ReferencePlaces(NamedTuple):
    """The references of a text in their order, and those whose position is unknown."""

    found: tuple[ReferencePlace, ...]
    left: tuple[str, ...]

    def with_owner(self, text: str, owner: str) -> str:
        """Return the text with an owner in its relative references; everything else is unchanged."""
        starts = (one.start for one in self.found if not one.owner)
        return replace_pieces(text, ((start, start, f"u/{owner}/") for start in starts))

    def with_name(self, text: str, was: ReferencePlace, name: str) -> str:
        """Return an owner's text with a new name in its references to `was`; all else is unchanged."""
        at = [one.start + len("p/") for one in self.found if _means(one, was)]
        return replace_pieces(text, ((start, start + len(was.name), name) for start in at))

    def unreached_refs(self, was: ReferencePlace | None = None) -> list[str]:
        """Return references to `was`, or to all items of the text's owner, whose position is unknown."""
        parts = {ref: one for ref in self.left if (one := _place(0, ref)) is not None}
        return [ref for ref, one in parts.items() if (_means(one, was) if was is not None else not one.owner)]


def dump_places(places: ReferencePlaces) -> str:
    """Return the places as JSON."""
    return json.dumps(places)


def load_places(text: str) -> ReferencePlaces:
    """Return the places from JSON."""
    found, left = json.loads(text)
    return ReferencePlaces(tuple(ReferencePlace(*one) for one in found), tuple(left))


def _means(place: ReferencePlace, was: ReferencePlace) -> bool:
    """Return whether a reference in a text of the owner of `was` refers to it."""
    return (place.owner or was.owner, *place[2:]) == was[1:]


def _place(start: int, ref: str) -> ReferencePlace | None:
    found = REFERENCE.fullmatch(ref)
    return ReferencePlace(start, found["owner"] or "", found["kind"], found["name"]) if found else None


def replace_pieces(text: str, pieces: Iterable[tuple[int, int, str]]) -> str:
    """Return a text with pieces replaced; they are given in the order of their positions."""
    made: list[str] = []
    end = 0
    for start, stop, word in pieces:
        made += (text[end:start], word)
        end = stop
    return "".join((*made, text[end:]))
