"""From a path to the place where it ends, for one caller: walking, links, items and vacancy."""

from __future__ import annotations

from typing import Any

from vfs.access import NOTHING, Verb, access_of
from vfs.call import Call
from vfs.nodes import Each, Items, Link
from vfs.ports.world import KernelWorld
from vfs.shapes.folders import LinkSpot
from vfs.shapes.subtrees import SubtreeSpot
from vfs.spot import NOWHERE, Spot, Visit
from vfs.tree import Tree

HOPS = 8


def find(tree: Tree, call: Call[KernelWorld]) -> Visit[KernelWorld]:
    """The place of a call; what is absent and what is invisible to the caller are the same vacant place."""
    return _Walk(tree, call).place


class _Walk:
    """One walk along a path.

    `loose` collects entries whose own absence matters only while no item below them is entered, each with how
    far the path is known there. `asked` counts names of the path that were still to come at the last link.
    """

    def __init__(self, tree: Tree, call: Call[KernelWorld]) -> None:
        self.tree = tree
        self.place = Visit(tree.advice, call, tree.root, call.path)
        self.rest: tuple[str, ...] = call.path
        self.asked = len(call.path)
        self.loose: list[tuple[Each[Any], str, int]] = []
        self.hops = 0
        while self.rest and self.place.spot is not NOWHERE:
            self._step()
        self._settle()

    def _step(self) -> None:
        spot = self.place.spot
        name = self.rest[0]
        if name in spot.ways:
            self._go_on(spot)
            return
        if isinstance(spot, SubtreeSpot):
            self._dive(spot)
            return
        self.rest = self.rest[1:]
        child = spot.children.get(name)
        if child is not None:
            self._enter_fixed(child, name)
        elif spot.entry is not None and spot.pattern.fullmatch(name):
            self._entry(spot, spot.entry, name)
        else:
            self._lose()

    def _go_on(self, spot: Spot) -> None:
        """Go as far as names lead that are passed without a question."""
        place, passed = self.place, 0
        for name in self.rest:
            child = spot.ways.get(name)
            if child is None:
                break
            spot = child
            passed += 1
        if place.item is not None:
            names = self.rest[:passed]
            place.rel = "/".join((place.rel, *names) if place.rel else names)
        place.spot, place.birth = spot, False
        self.rest = self.rest[passed:]

    def _lose(self) -> None:
        self.place.spot = NOWHERE
        self._vacate(birth=False)

    def _vacate(self, *, birth: bool) -> None:
        place = self.place
        if not place.vacant:
            place.missing = self._length()
        place.vacant, place.birth = True, birth

    def _length(self) -> int:
        """The length of the path as far as it was walked."""
        return len(self.place.asked) - min(self.asked, len(self.rest))

    def _enter_fixed(self, child: Spot, name: str) -> None:
        place = self.place
        if isinstance(child, LinkSpot):
            self._follow(child.node)
            return
        place.spot = child
        place.birth = False
        if place.item is not None:
            place.rel = f"{place.rel}/{name}" if place.rel else name
        child.step_in(place)

    def _follow(self, link: Link) -> None:
        place = self.place
        self.hops += 1
        self.asked = min(self.asked, len(self.rest))
        if link.only is not None:
            place.only = link.only if place.only is None else place.only & link.only
        if self.hops > HOPS or (place.item is None and not link.to.startswith("/")):
            self._lose()
            return
        if link.to.startswith("/"):
            target = tuple(link.to.replace("{me}", place.caller.name or "@").strip("/").split("/"))
            place.spot = self.tree.root
            place.item, place.rel = None, ""
        else:
            target = tuple(link.to.split("/"))
            place.spot = self.tree.homes[place.here.kind]
            place.rel = ""
        self.rest = target + self.rest

    def _entry(self, spot: Spot, entry: Spot, name: str) -> None:
        if isinstance(spot.node, Items):
            self._item(spot.node, entry, name)
        else:
            assert isinstance(spot.node, Each)
            self._each(spot.node, entry, name)

    def _item(self, node: Items, entry: Spot, name: str) -> None:
        place = self.place
        place.spot = entry
        if not place.vacant:
            owner = place.segment(node.owner) if node.owner is not None else ""
            ahead = "/".join(self.rest) if place.call.verb is Verb.READ and self.rest else None
            found = place.world.items.find(node.kind.name, owner, name, place.caller.name, ahead)
            if found is not None:
                access = access_of(
                    found.item.owner, node.kind.name, found.reaches, place.caller, node.kind.confers
                )
                if access != NOTHING:
                    place.enter(found.item, found.reaches, access, node.kind.confers)
                    place.ahead = found
                    self.loose.clear()
                    return
        self._vacate(birth=not place.vacant)
        place.item = None

    def _each(self, node: Each[Any], entry: Spot, name: str) -> None:
        place = self.place
        place.spot = entry
        place.birth = False
        if place.item is not None:
            place.rel = f"{place.rel}/{name}" if place.rel else name
        if place.vacant or node.loose:
            place.match(node.param, name, None)
            if node.loose and not place.vacant:
                self.loose.append((node, name, self._length()))
            return
        fact = load(place, node, name)
        place.match(node.param, name, fact)
        if fact is None:
            self._vacate(birth=True)
        else:
            entry.step_in(place)

    def _dive(self, spot: SubtreeSpot) -> None:
        place = self.place
        rest = "/".join(self.rest)
        self.rest = ()
        place.rel = f"{place.rel}/{rest}"
        spot.look(place, rest)

    def _settle(self) -> None:
        place = self.place
        if self.loose and not place.vacant:
            for node, name, length in self.loose:
                fact = load(place, node, name)
                if fact is None:
                    place.vacant, place.birth, place.missing = True, False, length
                else:
                    place.match(node.param, name, fact)
        spot = place.spot
        if isinstance(spot, SubtreeSpot) and spot.node.param not in place:
            spot.look(place, "")


def load(place: Visit[KernelWorld], node: Each[Any], name: str) -> object:
    """The fact of an entry: what its hook says, or its leaf. None when it is absent."""
    if node.has is not None:
        return node.has(place, name)
    return place.leaf(place.rel)
