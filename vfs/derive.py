"""Remakes what is derived from a leaf, in the transaction that changed it."""

from __future__ import annotations

from vfs.nodes import Derived
from vfs.place import Place
from vfs.ports.world import World


def derive(place: Place[World]) -> None:
    """Make every file derived from the leaf at `place` again, out of the present text of all its sources."""
    assert place.spot is not None
    item, leaves = place.here, place.world.leaves
    for making in place.spot.derives:
        node = making.spot.node
        assert isinstance(node, Derived)
        folder = place.rel[: len(place.rel) - len(making.source)]
        sources = {}
        for name, path in making.sources.items():
            leaf = leaves.get(item.id, folder + path)
            sources[name] = leaf.text or "" if leaf is not None else ""
        leaves.put(item.id, folder + making.rel, node.make(place, sources), place.caller.name)
