"""DueDispatch: a loop that handles what is due in a queue, once each, and tries again what failed."""

from __future__ import annotations

import logging
from abc import abstractmethod
from collections.abc import Sequence
from datetime import timedelta
from typing import Generic, Protocol, TypeVar

from handlers.services.deliveries import LONGEST_WAIT, DispatchLoop, seconds_until
from handlers.services.world import World
from vfs.cause import caused_by
from vfs.errors import VfsError
from vfs.ports.clock import stamp
from vfs.ports.wake_signal import WakeSignal

AT_ONCE = 20
LEASE = timedelta(minutes=10)
"""Time after which an entry that a process took and never settled is due again."""
MOST_TRIES = 12
FIRST = timedelta(minutes=1)

log = logging.getLogger("curlew")

T = TypeVar("T", bound="DueEntry")


class DueEntry(Protocol):
    """An entry of a queue: `tries` counts the attempts at it, with the present one."""

    @property
    def id(self) -> int:
        """Its number."""

    @property
    def tries(self) -> int:
        """The attempts at it."""

    @property
    def caused_by(self) -> str:
        """Words for its cause (vfs.cause)."""


class DueQueue(WakeSignal, Protocol[T]):
    """A queue whose entries become due; several processes may take from it."""

    def take(self, now: str, until: str, most: int) -> Sequence[T]:
        """Return entries that are due; they are due again after `until` unless settled."""

    def postpone(self, entry: T, due_on: str, note: str, /) -> None:
        """Make an entry due again at a time."""

    def next_due(self) -> str | None:
        """Return the stamp at which the next entry is due."""


class DueDispatch(DispatchLoop, Generic[T]):
    """Handles the entries of a queue.

    After a crash an entry is due again, so `handle` has to settle it in the transaction of its effect.
    """

    name: str
    """Words for the entries, for the log."""

    def __init__(self, world: World, queue: DueQueue[T]) -> None:
        super().__init__(queue, self.name)
        self._world = world
        self._queue = queue

    def round(self) -> float:
        """Handle all that is due; return the seconds until the next entry is due."""
        clock = self._world.clock
        with self._world.session():
            self.begin_round()
            while not self._over.is_set():
                now = clock.now()
                taken = self._queue.take(stamp(now), stamp(now + LEASE), AT_ONCE)
                for entry in taken:
                    if not self._over.is_set():
                        self._try(entry)
                if not taken:
                    break
            self.end_round()
            return seconds_until(clock, (self._queue.next_due(),)) or LONGEST_WAIT

    @abstractmethod
    def handle(self, entry: T) -> None:
        """Settle an entry. What it raises makes it due again."""

    @abstractmethod
    def give_up(self, entry: T, reason: str) -> None:
        """End an entry after its last attempt."""

    def begin_round(self) -> None:
        """Do nothing before the entries."""

    def end_round(self) -> None:
        """Do nothing after the entries."""

    def later(self, entry: T, reason: str) -> None:
        """Make an entry due again, later each time."""
        if entry.tries >= MOST_TRIES:
            self.give_up(entry, f"given up after {entry.tries} tries: {reason}"[:500])
            return
        due = self._world.clock.now() + FIRST * 2 ** min(entry.tries - 1, 6)
        self._queue.postpone(entry, stamp(due), reason[:500])

    def _try(self, entry: T) -> None:
        with caused_by(entry.caused_by):
            try:
                self.handle(entry)
            except VfsError as error:
                self.later(entry, error.detail)
            except Exception:
                log.exception("%s: the entry %d could not be handled", self.name, entry.id)
                self.later(entry, "an unexpected error of the server")
