"""Folders with an entry per name, which a hook lists or which are leaves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from vfs.call import Entry
from vfs.listing import row_named, stamps_below
from vfs.nodes import Each, Named
from vfs.ports.world import KernelWorld
from vfs.shapes.folders import FolderSpot
from vfs.spot import Visit


class EachSpot(FolderSpot):
    """A folder with an entry per name."""

    __slots__ = ()
    node: Each[Any]

    def rows(self, place: Visit[KernelWorld]) -> Iterator[Entry]:
        """Rows as the hook lists them; leaves by name."""
        node, entry = self.node, self.entry
        assert entry is not None
        for named in _leaves(place) if node.names is None else node.names(place):
            shown = place.child(named.name, entry)
            shown.match(node.param, named.name, named.fact)
            entry.step_in(shown)
            if entry.node.listed.test(shown):
                yield row_named(shown, named)


def _leaves(place: Visit[KernelWorld]) -> Iterator[Named]:
    for rel, (created_on, last_modified) in stamps_below(place)[1].items():
        yield Named(rel.rsplit("/", 1)[-1], created_on, last_modified)
