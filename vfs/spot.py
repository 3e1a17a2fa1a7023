"""Spots: nodes at their places in the tree."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from vfs.access import Verb
from vfs.nodes import Dir, Each, Entries, Items, Node, Subtree
from vfs.path import ANY_NAME
from vfs.place import Place
from vfs.rules import Rule

NO_RULES: Mapping[Verb, Rule] = {}


class Spot:
    """A node at its place in the tree: names that lead on, rules that decide, files derived from it.

    `rules` answer for a place that is there, `birth` for a name that could be created. `holder` is the folder
    whose entry it is, where entries are not fixed, and `entries` the node of that.
    """

    __slots__ = (
        "birth",
        "children",
        "derives",
        "entries",
        "entry",
        "holder",
        "inside",
        "item",
        "kind",
        "loops",
        "name",
        "node",
        "parent",
        "pattern",
        "rules",
        "template",
    )

    def __init__(self, node: Node, parent: Spot | None, name: str) -> None:
        self.node = node
        self.parent = parent
        self.name = name
        self.template: str = f"{parent.template}/{name}" if parent is not None else ""
        self.children: dict[str, Spot] = {}
        self.loops: set[str] = set()
        self.entry: Spot | None = None
        self.pattern: re.Pattern[str] = ANY_NAME
        self.holder: Spot | None = None
        self.entries: Entries | None = None
        self.rules: dict[Verb, Rule] = {}
        self.birth: dict[Verb, Rule] = {}
        self.derives: list[Making] = []
        self.inside = False
        self.item: Spot | None = parent.item if parent is not None else None
        self.kind = type(node)

    @property
    def folder(self) -> bool:
        """True for what has entries."""
        return self.kind in (Dir, Items, Each, Subtree)

    def walk(self) -> Iterator[Spot]:
        """Itself and all below it once, in the order of their declaration."""
        yield self
        for name, child in self.children.items():
            if name not in self.loops:
                yield from child.walk()
        if self.entry is not None:
            yield from self.entry.walk()

    def rules_at(self, place: Place[Any]) -> Mapping[Verb, Rule]:
        """The rules that decide at a place: those of what is there, or those by which it could come to be."""
        if place.vacant:
            return self.birth if place.birth else NO_RULES
        return self.rules

    def is_folder(self, place: Place[Any]) -> bool:
        """Whether what is at a place has entries."""
        return self.folder


class SubtreeSpot(Spot):
    """A spot for every path below it: a folder there is not written, and the top itself not moved."""

    __slots__ = ("folders", "subtree", "top")

    def __init__(self, node: Subtree[Any], parent: Spot | None, name: str) -> None:
        super().__init__(node, parent, name)
        self.subtree = node
        self.folders: dict[Verb, Rule] = {}
        self.top: dict[Verb, Rule] = {}

    def rules_at(self, place: Place[Any]) -> Mapping[Verb, Rule]:
        """The rules of a path, by what is there."""
        if place.vacant or not self.is_folder(place):
            return super().rules_at(place)
        return self.folders if place.segment(self.subtree.param) else self.top

    def is_folder(self, place: Place[Any]) -> bool:
        """Whether a folder is at a path; at the top there is one."""
        param = self.subtree.param
        return not place.vacant and (not place.segment(param) or self.subtree.folder(place[param]))


class Making(NamedTuple):
    """Derivation of a file from a source.

    It holds the paths of both, and those of all its sources by the names that it has for them, from the
    lowest folder that holds them all.
    """

    spot: Spot
    rel: str
    source: str
    sources: Mapping[str, str]
