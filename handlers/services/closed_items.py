"""Closed items: items shown in a grid or document that some of its readers cannot open themselves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from handlers.services.rights import NEEDS, item_access
from handlers.services.world import World
from vfs.access import Caller
from vfs.ports.items import Item

PUBLIC = "public"


class ClosedItem(NamedTuple):
    """An item that is shown under a name, and the targets of shares that cannot open it."""

    name: str
    item: Item
    targets: Sequence[str]


def closed_items(world: World, home: Item, noun: str, shown: Mapping[str, Item]) -> Iterator[str]:
    """Yield a sentence for each shown item that some users with whom `home` is shared cannot open."""
    for name, item, targets in find_closed(world, home, shown):
        if item.owner == home.owner:
            yield f"{name} is not shared with {', '.join(targets)}, to whom this {noun} shows it."
        else:
            yield f"{name} is @{item.owner}'s; who sees it in this {noun} may not be able to open it."


def find_closed(
    world: World, home: Item, shown: Mapping[str, Item], otherwise: Sequence[str] = ()
) -> Iterator[ClosedItem]:
    """Yield each shown item that some users with whom `home` is shared cannot open.

    They name the targets of the shares of `home`, so they are for its owner alone (interface, Sharing 9).
    `shown` maps the names used in `home` to items, `otherwise` are the targets if it is not shared. Of other
    owners' items, only a public share is revealed.
    """
    names: dict[int, tuple[str, Item]] = {}
    for name, item in shown.items():
        names.setdefault(item.id, (name, item))
    own = [id for id, (_, item) in names.items() if item.owner == home.owner]
    targets = world.grants.targets([home.id, *own])
    readers = targets.get(home.id, ()) or otherwise
    if not readers or not names:
        return
    public = _open_to_all(world, [item for _, item in names.values() if item.owner != home.owner])
    for id, (name, item) in names.items():
        known = targets.get(id, ()) if id in own else (PUBLIC,) if id in public else ()
        closed = [] if PUBLIC in known else [target for target in readers if target not in known]
        if closed:
            yield ClosedItem(name, item, closed)


def _open_to_all(world: World, items: list[Item]) -> frozenset[int]:
    """Return the ids of the items that everybody may open; one statement for each kind."""
    found = [
        one
        for kind in {item.kind for item in items}
        for one in world.items.all_named(
            kind, [(item.owner, item.name) for item in items if item.kind == kind], (), None
        )
    ]
    return frozenset(one.item.id for one in found if NEEDS["x"] in item_access(world, one, Caller(None)))
