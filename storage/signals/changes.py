"""Wake-ups for whoever looks at items of some kinds: at one of them, or at all."""

from __future__ import annotations

from collections.abc import Callable, Collection
from contextlib import AbstractContextManager
from dataclasses import dataclass

from storage.signals.bell import Bell
from vfs.ports.items import Item

ANY = "items"


@dataclass(frozen=True, slots=True)
class BellChanges:
    """Changes of the items of `kinds` as rings of a bell; `idle` is entered while it is waited for them."""

    bell: Bell
    idle: Callable[[], AbstractContextManager[object]]
    kinds: Collection[str]

    def note(self, item: Item) -> None:
        """Wake who waits for this item, or for any; inside a transaction, once it is committed."""
        if item.kind in self.kinds:
            self.bell.ring(_topic(item))
            self.bell.ring(ANY)

    def wait(self, item: Item | None, seen: int, seconds: float) -> int:
        """Block until the item (None: any) changed since `seen`, an earlier answer; a new `seen`.

        With 0, the first, it returns at once, and else when the time is over or the service stops.
        """
        topic = _topic(item) if item is not None else ANY
        return self.bell.waiting(topic, seen, seconds, self.idle)


def _topic(item: Item) -> str:
    return f"item {item.id}"
