"""Calls of functions after some seconds, in one thread for all runs."""

from __future__ import annotations

import heapq
import itertools
import threading
import time
from collections.abc import Callable


class Alarm:
    """Calls functions when their time has come. They must be short and must not raise."""

    def __init__(self) -> None:
        self._due: list[tuple[float, int, Callable[[], object]]] = []
        self._numbers = itertools.count()
        self._changed = threading.Condition()
        threading.Thread(target=self._run, name="alarm", daemon=True).start()

    def after(self, seconds: float, act: Callable[[], object]) -> None:
        """Call a function after some seconds."""
        with self._changed:
            heapq.heappush(self._due, (time.monotonic() + seconds, next(self._numbers), act))
            self._changed.notify()

    def _run(self) -> None:
        while True:
            self._next()()

    def _next(self) -> Callable[[], object]:
        """Wait for the next function that is due, and return it."""
        with self._changed:
            while not self._due or (left := self._due[0][0] - time.monotonic()) > 0:
                self._changed.wait(left if self._due else None)
            return heapq.heappop(self._due)[-1]
