"""The leases of runners in a dictionary."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from chains.runs.book import Worker
from storage.runs.transitions import WORK
from storage.signals.bell import Bell
from vfs.ports.world import Clock, stamp


class MemoryLeases:
    """The part of a book of runs that knows who works (chains.runs.book.RunBook)."""

    def __init__(self, clock: Clock, bell: Bell) -> None:
        self._clock = clock
        self._bell = bell
        self._lock = threading.RLock()
        self._workers: dict[str, tuple[Worker, str]] = {}

    def enlist(self, worker: str, home: str, seconds: float) -> None:
        """As RunBook.enlist."""
        with self._lock:
            self._workers = {name: kept for name, kept in self._workers.items() if kept[0].home != home}
            self._workers[worker] = (Worker(worker, home), self._after(seconds))

    def beat(self, worker: str, seconds: float, trouble: str | None = None) -> bool:
        """As RunBook.beat."""
        with self._lock:
            if worker not in self._workers:
                return False
            known, _ = self._workers[worker]
            since = known.since if known.trouble is not None else self._after(0)
            told = replace(known, trouble=trouble, since=None if trouble is None else since)
            self._workers[worker] = (told, self._after(seconds))
            return True

    def retire(self, worker: str) -> None:
        """As RunBook.retire."""
        with self._lock:
            self._workers.pop(worker, None)
        self._bell.ring(WORK)

    def alive(self, worker: str) -> bool:
        """As RunBook.alive."""
        with self._lock:
            return worker in self._workers and self._workers[worker][1] >= self._after(0)

    def workers(self) -> Sequence[Worker]:
        """As RunBook.workers."""
        with self._lock:
            return [
                worker
                for worker, expires in sorted(self._workers.values(), key=lambda kept: kept[0].name)
                if expires >= self._after(0)
            ]

    def _after(self, seconds: float) -> str:
        return stamp(self._clock.now() + timedelta(seconds=seconds))
