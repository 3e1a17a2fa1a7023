"""Visits: places with their spots in the tree, as the kernel walks them."""

from __future__ import annotations

from vfs.call import Call, W_co
from vfs.nodes import Entries, Node
from vfs.path import Path
from vfs.place import Place
from vfs.spot import Spot
from vfs.tree import Tree

NOWHERE = Spot(Node(), None, "")


class Visit(Place[W_co]):
    """A caller at a spot; where a path leads out of the tree, at NOWHERE, which has no entries and rules."""

    __slots__ = ("spot", "tree")

    def __init__(self, tree: Tree, call: Call[W_co], spot: Spot, asked: Path) -> None:
        super().__init__(call, asked)
        self.tree = tree
        self.spot = spot

    @property
    def holder(self) -> Entries | None:
        """The folder whose entry this is, where entries are not fixed."""
        return self.spot.entries

    def beside(self, spot: Spot, asked: Path) -> Visit[W_co]:
        """Another place in the same item."""
        visit = Visit(self.tree, self.call, spot, asked)
        visit.matched, visit.memo, visit.only = self.matched, self.memo, self.only
        visit.item, visit.access, visit.reaches, visit.confers = (
            self.item, self.access, self.reaches, self.confers,
        )  # fmt: skip
        return visit

    def child(self, name: str, spot: Spot) -> Visit[W_co]:
        """The place of an entry of this folder."""
        visit = self.beside(spot, self.asked / name)
        if self.item is not None:
            visit.rel = f"{self.rel}/{name}" if self.rel else name
        return visit
