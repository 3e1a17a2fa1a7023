"""Fixed folders, and the links in them."""

from __future__ import annotations

from collections.abc import Iterator

from vfs.access import access_of
from vfs.call import Entry
from vfs.listing import row, row_of, stamps_below
from vfs.nodes import Dir, Link
from vfs.ports.world import KernelWorld
from vfs.shapes.folders import FolderSpot
from vfs.spot import Spot, Visit


class DirSpot(FolderSpot):
    """A fixed folder, which may lead into an item that belongs to it."""

    __slots__ = ()
    node: Dir

    @property
    def is_way(self) -> bool:
        """Whether it names no item to step into."""
        return self.node.enter is None

    def step_in(self, place: Visit[KernelWorld]) -> None:
        """Step into the item that belongs to a folder, when it names one."""
        if self.node.enter is None or place.vacant:
            return
        found = self.node.enter(place)
        if found is None:
            place.vacant = True
        else:
            confers = self.node.confers
            access = access_of(found.item.owner, found.item.kind, found.reaches, place.caller, confers)
            place.enter(found.item, found.reaches, access, confers)

    def rows(self, place: Visit[KernelWorld]) -> Iterator[Entry]:
        """Rows in the order of their declaration."""
        unwritten, stamps = stamps_below(place)
        facts = place.facts()
        for name, child in self.children.items():
            shown = child.as_listed(place, name)
            if not child.node.listed.test(shown):
                continue
            child.step_in(shown)
            if shown.item is place.item:
                yield row(shown, *stamps.get(shown.rel, unwritten), facts=facts)
            else:
                yield row_of(shown)


class LinkSpot(Spot):
    """Another spelling of its target, which is found at start-up."""

    __slots__ = ("target",)
    node: Link
    target: Spot

    @property
    def is_way(self) -> bool:
        """False: a link leads elsewhere."""
        return False

    def as_listed(self, folder: Visit[KernelWorld], name: str) -> Visit[KernelWorld]:
        """The target, by the name of the link and with no more verbs than it lets through."""
        shown = folder.child(name, self.target)
        only = self.node.only
        shown.only = only if folder.only is None else folder.only & (only or folder.only)
        return shown
