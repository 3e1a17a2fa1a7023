"""Dispatchers of queues: loops that deliver what is due, and try again what failed."""

from __future__ import annotations

import logging
import random
import threading
from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Generic, Protocol, TypeVar

from handlers.services.world import World
from vfs.cause import caused_by
from vfs.errors import VfsError
from vfs.ports.clock import Clock, stamp
from vfs.ports.mails import DeliveryAnswer
from vfs.ports.wake_signal import WakeSignal

FIRST_DELAY, LONGEST_DELAY = timedelta(minutes=1), timedelta(hours=4)
MOST_DELIVERIES = 32
"""Attempts before a message is given up: three days on average (RFC 5321, 4.5.4.1)."""
WAIT_SECONDS, LONGEST_WAIT = 60.0, 300.0

log = logging.getLogger("curlew")


class DispatchLoop(ABC):
    """Delivers what is due, in rounds: the next one begins at a signal, or when the next message is due."""

    def __init__(self, wake_signal: WakeSignal, what: str) -> None:
        self._signal = wake_signal
        self._what = what
        self._over = threading.Event()

    @abstractmethod
    def round(self) -> float | None:
        """Deliver all that is due; return the seconds until the next round, None if a signal begins it."""

    def loop(self) -> None:
        """Deliver until `stop` is called."""
        seen = 0
        while not self._over.is_set():
            try:
                seen = self._signal.wake(seen, self.round())
            except VfsError as error:
                log.warning("%s wait: %s", self._what, error.detail)
                self._over.wait(WAIT_SECONDS)
            except Exception:
                log.exception("%s wait for an unexpected error of the server", self._what)
                self._over.wait(WAIT_SECONDS)

    def stop(self) -> None:
        """End the loop; from any thread."""
        self._over.set()
        self.wake()

    def wake(self) -> None:
        """Begin the next round now; from any thread."""
        with suppress(VfsError):
            self._signal.signal()


def seconds_until(clock: Clock, dues: Sequence[str | None]) -> float | None:
    """Return the seconds until the earliest of these time stamps; None without one."""
    found = [due for due in dues if due is not None]
    if not found:
        return None
    seconds = (datetime.fromisoformat(min(found)) - clock.now()).total_seconds()
    return min(max(seconds, 0.05), LONGEST_WAIT)


def delay_after(tries: int, chance: random.Random) -> timedelta | None:
    """Return the delay before the next attempt; None after the last one."""
    if tries >= MOST_DELIVERIES:
        return None
    whole: timedelta = min(LONGEST_DELAY, FIRST_DELAY * 2 ** min(tries - 1, 10))
    return whole * chance.uniform(0.5, 1.0)


def answer_later(clock: Clock, chance: random.Random, tries: int, said: str) -> DeliveryAnswer:
    """Return the answer to a message that was not taken at an attempt: due later, or given up."""
    delay = delay_after(tries + 1, chance)
    if delay is None:
        return DeliveryAnswer("refused", line=f"{said}; given up after {MOST_DELIVERIES} tries")
    time = stamp(clock.now() + delay)
    return DeliveryAnswer("due", time, f"{said}; tried again at {time}")


AT_ONCE = 20
LEASE = timedelta(minutes=10)
"""Time after which an entry that a process took and never settled is due again."""
MOST_TRIES = 12
FIRST = timedelta(minutes=1)


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
