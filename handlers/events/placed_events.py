"""Events with their addresses, and who may receive them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from handlers.services.happenings import Happening
from handlers.services.notices import GROUP_KINDS, api_path, page_path
from handlers.services.world import World
from vfs.access import Access, Caller, Verb
from vfs.call import Call
from vfs.errors import Unavailable, VfsError
from vfs.path import Path
from vfs.ports.items import Item

Admit = Callable[[Call[World]], object]
LEVEL = "info"
ACTOR_SHOWN = frozenset({"comment", "run"})


class PlacedEvent(NamedTuple):
    """A happening and its address. A receiver must be able to read `path` (None: it was removed)."""

    happening: Happening
    address: tuple[str, ...]
    path: Path | None

    def event(self, actor: str) -> Mapping[str, Any]:
        """Return the event without the fields of the connection. `actor` is the user who caused it."""
        return {
            "event_class": self.happening.event_class,
            "event_type": self.happening.event_type,
            "target_fqnp": "/" + "/".join(self.address),
            "actor": actor,
            "ts": self.happening.moment,
            "level": LEVEL,
        }


def place_event(world: World, happening: Happening) -> PlacedEvent | None:
    """Return where something happened, or None if that was removed or has no address."""
    if happening.gone:
        owner, kind, name = happening.gone
        return PlacedEvent(happening, ("u", owner, world.service.kinds[kind].letter, name), None)
    found = world.items.at(happening.item, None)
    address = _address(world, found.item) if found is not None else ()
    if found is None or not address:
        return None
    link = tuple(happening.link.split("/")) if happening.link else ()
    return PlacedEvent(happening, address + link, Path.parse(api_path(world, found.item, happening.below)))


def may_read_event(world: World, admit: Admit, caller: Caller, placed: PlacedEvent) -> bool:
    """Return whether a caller may receive an event: whether it may read the change now. Raise Unavailable."""
    happening = placed.happening
    if happening.to and caller.name not in happening.to:
        return False
    if placed.path is None:
        owner, kind, _ = happening.gone
        return caller.name == owner and Access.READ in caller.mask(kind, happening.item)
    try:
        admit(Call(Verb.READ, placed.path, caller, world))
    except Unavailable:
        raise
    except VfsError:
        return False
    return True


def shown_actor(world: World, caller: Caller, placed: PlacedEvent) -> str:
    """Return the user who caused an event, or "" if the caller does not see that user.

    The author of a comment and the starter of a run are always shown: comments and runs show them, too.
    """
    happening, me = placed.happening, caller.name or ""
    known = (me, placed.address[1])
    if happening.event_class in ACTOR_SHOWN or happening.actor in known:
        return happening.actor
    return happening.actor if world.people.users.sees(me, happening.actor) else ""


def _address(world: World, item: Item) -> tuple[str, ...]:
    """Return the names of an item's address; empty if it has none."""
    if item.kind in GROUP_KINDS:
        return tuple(page_path(world, item).strip("/").split("/"))
    kind = world.service.kinds.get(item.kind)
    return ("u", item.owner, kind.letter, item.name) if kind is not None else ()
