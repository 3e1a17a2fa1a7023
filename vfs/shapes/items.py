"""Folders of items."""

from __future__ import annotations

from collections.abc import Sequence

from vfs.access import EVERYTHING, NOTHING, Access, Confers, EffectiveGrant, access_of
from vfs.call import Entry
from vfs.listing import row
from vfs.nodes import Items
from vfs.ports.items import Found
from vfs.ports.world import KernelWorld
from vfs.route import Route, RoutedContext
from vfs.shapes.folders import FolderRoute


class ItemsRoute(FolderRoute):
    """A folder of items of one kind."""

    __slots__ = ()
    node: Items

    def rows(self, context: RoutedContext[KernelWorld]) -> list[Entry]:
        """Return rows of items by name."""
        node, caller = self.node, context.caller
        owner = context.segment(node.owner) if node.owner is not None else None
        if owner is not None and owner == caller.name and caller.claim is None and node.among is None:
            return self._own_rows(context, owner)
        return self._rows_of(context, context.world.items.visible(node.kind.name, owner, caller.name))

    def names_near(self, context: RoutedContext[KernelWorld], name: str, most: int) -> Sequence[str]:
        """Return a few names of items that the caller may see, next to a name in order.

        The cost does not depend on the number of items. The caller's own items need one look-up; items of
        others are checked as for a listing.
        """
        node, caller = self.node, context.caller
        owner = context.segment(node.owner) if node.owner is not None else caller.name
        if owner is None:
            return []
        items, kind = context.world.items, node.kind.name
        names = items.near(kind, owner, name, most)
        if owner == caller.name and caller.claim is None and node.among is None:
            return names
        found = items.all_named(kind, [(owner, one) for one in names], (), caller.name) if names else ()
        return [row.name for row in self._rows_of(context, found) if row.verbs]

    def _rows_of(self, context: RoutedContext[KernelWorld], items: Sequence[Found]) -> list[Entry]:
        """Return rows of items. Items with equal access and ownership share their verbs and letters."""
        entry, caller, confers = self.entry, context.caller, self.node.kind.confers
        assert entry is not None
        if self.node.among is not None:
            among = self.node.among(context.world, [found.item.id for found in items])
            items = [found for found in items if found.item.id in among]
        accesses: dict[tuple[bool, tuple[EffectiveGrant, ...], Access], Access] = {}
        known: dict[tuple[bool, Access], Entry] = {}
        rows = []
        base = str(context.requested)
        for found in items:
            item = found.item
            owned = item.owner == caller.name
            alike = owned, found.effective_grants, caller.mask(item.kind, item.id)
            access = accesses.get(alike)
            if access is None:
                access = accesses[alike] = access_of(item, found.effective_grants, caller, confers)
            if access == NOTHING:
                continue
            like = known.get((owned, access))
            if like is None:
                like = known[owned, access] = _item_row(context, entry, found, access, confers)
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

    def _own_rows(self, context: RoutedContext[KernelWorld], owner: str) -> list[Entry]:
        """Return rows of items that the caller owns, whose verbs and letters are all equal."""
        node, entry = self.node, self.entry
        assert entry is not None
        items, name = context.world.items, node.kind.name
        stamps = items.stamps_of(name, owner)
        present = (items.find(name, owner, one, owner) for one, _, _ in stamps)
        found = next((one for one in present if one is not None), None)
        if found is None:
            return []
        like = _item_row(context, entry, found, EVERYTHING, node.kind.confers)
        base, kind, permissions, verbs = f"{context.requested}/", like.type, like.permissions, like.verbs
        return [
            Entry(one, base + one, kind, permissions, verbs, created_on, last_modified)
            for one, created_on, last_modified in stamps
        ]


def _item_row(
    context: RoutedContext[KernelWorld], entry: Route, found: Found, access: Access, confers: Confers
) -> Entry:
    shown = context.child(found.item.name, entry)
    shown.enter(found.item, found.effective_grants, access, confers)
    return row(shown, found.item.created_on, found.item.last_modified)
