"""LaterCalls: work after the response, so that the time of a response reveals nothing about it."""

from __future__ import annotations

import logging
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from threading import BoundedSemaphore, Lock

MOST_WAITING = 100

log = logging.getLogger("curlew")


class LaterCalls:
    """Calls of one process, one after the other; its thread starts with the first of them.

    All methods are safe in any thread.
    """

    def __init__(self, most: int = MOST_WAITING) -> None:
        self._room = BoundedSemaphore(most)
        self._lock = Lock()
        self._thread: ThreadPoolExecutor | None = None
        self._is_closed = False

    def add(self, call: Callable[[], object]) -> bool:
        """Queue a call; return False without queueing it when the queue is full or closed."""
        if not self._room.acquire(blocking=False):
            return False
        with self._lock:
            if self._is_closed:
                self._room.release()
                return False
            self._thread = self._thread or ThreadPoolExecutor(1, "later")
            self._thread.submit(call).add_done_callback(self._end)
        return True

    def close(self) -> None:
        """Make the calls that still wait; later ones are refused."""
        with self._lock:
            self._is_closed, thread = True, self._thread
        if thread is not None:
            thread.shutdown()

    def _end(self, done: Future[object]) -> None:
        self._room.release()
        if error := done.exception():
            log.error("what was to be done later failed", exc_info=error)
