"""Folders of items."""

from __future__ import annotations

from collections.abc import Sequence

from vfs.access import NOTHING, Access, Confers, Reach, access_of
from vfs.call import Entry
from vfs.listing import row
from vfs.nodes import Items
from vfs.ports.items import Found
from vfs.ports.world import KernelWorld
from vfs.shapes.folders import FolderSpot
from vfs.spot import Spot, Visit


class ItemsSpot(FolderSpot):
    """A folder of items of one kind."""

    __slots__ = ()
    node: Items

    def rows(self, place: Visit[KernelWorld]) -> list[Entry]:
        """Rows of items by name."""
        node, caller = self.node, place.caller
        owner = place.segment(node.owner) if node.owner is not None else None
        if owner is not None and owner == caller.name:
            return self._own_rows(place, owner)
        return self._rows_of(place, place.world.items.visible(node.kind.name, owner, caller.name))

    def names_near(self, place: Visit[KernelWorld], name: str, most: int) -> Sequence[str]:
        """A few names of what the caller may see, next to one in their order, however many there are.

        Of the caller's own items one look-up tells it all; others' are looked at as a listing looks at them.
        """
        node, caller = self.node, place.caller
        owner = place.segment(node.owner) if node.owner is not None else caller.name
        if owner is None:
            return []
        items, kind = place.world.items, node.kind.name
        names = items.near(kind, owner, name, most)
        if owner == caller.name:
            return names if access_of(owner, kind, (), caller, node.kind.confers) != NOTHING else []
        found = items.all_named(kind, [(owner, one) for one in names], (), caller.name) if names else ()
        return [row.name for row in self._rows_of(place, found) if row.verbs]

    def _rows_of(self, place: Visit[KernelWorld], items: Sequence[Found]) -> list[Entry]:
        """Rows of items, each like the others of equal access and ownership."""
        entry, caller, confers = self.entry, place.caller, self.node.kind.confers
        assert entry is not None
        accesses: dict[tuple[bool, tuple[Reach, ...]], Access] = {}
        known: dict[tuple[bool, Access], Entry] = {}
        rows = []
        base = str(place.asked)
        for found in items:
            item = found.item
            owned = item.owner == caller.name
            access = accesses.get((owned, found.reaches))
            if access is None:
                access = access_of(item.owner, item.kind, found.reaches, caller, confers)
                accesses[owned, found.reaches] = access
            if access == NOTHING:
                continue
            like = known.get((owned, access))
            if like is None:
                like = known[owned, access] = _item_row(place, entry, found, access, confers)
            rows.append(
                Entry(
                    item.name,
                    f"{base}/{item.name}",
                    like.type,
                    like.permissions,
                    like.verbs,
                    item.created_on,
                    item.last_modified,
                )
            )
        return rows

    def _own_rows(self, place: Visit[KernelWorld], owner: str) -> list[Entry]:
        """Rows of items that the caller owns, which are all alike."""
        node, entry = self.node, self.entry
        assert entry is not None
        items, name = place.world.items, node.kind.name
        stamps = items.stamps_of(name, owner)
        present = (items.find(name, owner, one, owner) for one, _, _ in stamps)
        found = next((one for one in present if one is not None), None)
        access = access_of(owner, name, (), place.caller, node.kind.confers)
        if found is None or access == NOTHING:
            return []
        like = _item_row(place, entry, found, access, node.kind.confers)
        base, kind, held, verbs = f"{place.asked}/", like.type, like.permissions, like.verbs
        return [
            Entry(one, base + one, kind, held, verbs, created_on, last_modified)
            for one, created_on, last_modified in stamps
        ]


def _item_row(
    place: Visit[KernelWorld], entry: Spot, found: Found, access: Access, confers: Confers
) -> Entry:
    shown = place.child(found.item.name, entry)
    shown.enter(found.item, found.reaches, access, confers)
    return row(shown, found.item.created_on, found.item.last_modified)
