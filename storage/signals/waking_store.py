"""Stores whose writes wake their worker, and viewers of items, both by change signals."""

from __future__ import annotations

from collections.abc import Callable, Collection
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import ClassVar

from storage.database.database import Database
from storage.database.store import DatedStore
from storage.signals.change_signal import ChangeSignal
from vfs.ports.clock import Clock
from vfs.ports.items import Item


class WakingStore(DatedStore):
    """A store with vfs.ports.wake_signal.WakeSignal, woken by changes of its topic."""

    topic: ClassVar[str]

    def __init__(self, database: Database, change_signal: ChangeSignal, clock: Clock) -> None:
        super().__init__(database, clock)
        self._change_signal = change_signal

    def wake(self, seen: int, seconds: float | None) -> int:
        return self._change_signal.waiting(self.topic, seen, seconds, self._database.idle)

    def signal(self) -> None:
        self._change_signal.signal(self.topic)


ANY = "items"


@dataclass(frozen=True, slots=True)
class SignalledChanges:
    """Changes of items of `kinds`, from a change signal. `idle` is entered while waiting for them."""

    change_signal: ChangeSignal
    idle: Callable[[], AbstractContextManager[object]]
    kinds: Collection[str]

    def note(self, item: Item) -> None:
        """Wake the callers that wait for this item or any item; inside a transaction, after its commit."""
        if item.kind in self.kinds:
            self.change_signal.signal(_topic(item))
            self.change_signal.signal(ANY)

    def wait(self, item: Item | None, seen: int, seconds: float) -> int:
        """Block until the item (None: any) changes after `seen`. Return the next `seen`.

        Returns at once for 0, the first `seen`, and when the time is over or the service stops.
        """
        topic = _topic(item) if item is not None else ANY
        return self.change_signal.waiting(topic, seen, seconds, self.idle)


def _topic(item: Item) -> str:
    return f"item {item.id}"
