"""Budgets of slow clients: the memory that they may keep, and the threads that may wait for them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class BufferBudget:
    """Counts bytes against `most`; it is asked before more is taken in, and never blocks."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._taken = 0
        self._lock = threading.Lock()

    @property
    def taken(self) -> int:
        """The bytes that are in use."""
        return self._taken

    @property
    def is_spent(self) -> bool:
        """Whether nothing more is to be taken in."""
        return self._taken >= self._most

    def take(self, size: int) -> None:
        """Count bytes that were taken in."""
        if size:
            with self._lock:
                self._taken += size

    def give_back(self, size: int) -> None:
        """Count bytes that were let go."""
        if size:
            with self._lock:
                self._taken -= size


class ReaderWaits:
    """At most `most` threads wait for readers; for another one, the reader waited for longest is given up.

    An answer whose bytes lie in a file or in memory needs no thread. One that is made while it is sent does.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._waiting: dict[Callable[[], object], None] = {}

    @contextmanager
    def wait(self, give_up: Callable[[], object]) -> Iterator[None]:
        """Wait within this; `give_up` ends the wait of another thread, and is called without any lock."""
        with self._lock:
            self._waiting[give_up] = None
            first = next(iter(self._waiting)) if len(self._waiting) > self._most else None
            if first is not None:
                del self._waiting[first]
        if first is not None:
            first()
        try:
            yield
        finally:
            with self._lock:
                self._waiting.pop(give_up, None)
