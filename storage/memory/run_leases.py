"""The leases of runners in a dictionary."""

from __future__ import annotations

import threading
from datetime import timedelta

from storage.bell import Bell
from storage.run_turns import WORK
from vfs.world import Clock, stamp


class MemoryLeases:
    """The part of a book of runs that knows who works (chains.book.RunBook)."""

    def __init__(self, clock: Clock, bell: Bell) -> None:
        self._clock = clock
        self._bell = bell
        self._lock = threading.RLock()
        self._workers: dict[str, tuple[str, str]] = {}

    def enlist(self, worker: str, home: str, seconds: float) -> None:
        """As RunBook.enlist."""
        with self._lock:
            self._workers = {name: kept for name, kept in self._workers.items() if kept[0] != home}
            self._workers[worker] = (home, self._after(seconds))

    def beat(self, worker: str, seconds: float) -> bool:
        """As RunBook.beat."""
        with self._lock:
            if worker in self._workers:
                self._workers[worker] = (self._workers[worker][0], self._after(seconds))
            return worker in self._workers

    def retire(self, worker: str) -> None:
        """As RunBook.retire."""
        with self._lock:
            self._workers.pop(worker, None)
        self._bell.ring(WORK)

    def alive(self, worker: str) -> bool:
        """As RunBook.alive."""
        with self._lock:
            return worker in self._workers and self._workers[worker][1] >= self._after(0)

    def _after(self, seconds: float) -> str:
        return stamp(self._clock.now() + timedelta(seconds=seconds))
