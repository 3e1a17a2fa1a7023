"""ReaderWaits: the threads that wait for clients to take their answers, which are never most of them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


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
