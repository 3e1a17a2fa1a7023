"""Threads for all runs: one cleans up, so that no run waits for it; one calls functions after a time."""

from __future__ import annotations

import heapq
import itertools
import logging
import queue
import threading
import time
from collections.abc import Callable

_log = logging.getLogger(__name__)


class Cleaner:
    """Runs jobs one after the other, in the order they were added. A job that fails is only logged."""

    def __init__(self) -> None:
        self._jobs: queue.Queue[Callable[[], object]] = queue.Queue()
        threading.Thread(target=self._run, name="cleaner", daemon=True).start()

    def leave(self, job: Callable[[], object]) -> None:
        """Add a job to the queue."""
        self._jobs.put(job)

    def drain(self, seconds: float) -> bool:
        """Wait until all queued jobs are done. Return False if that takes longer than `seconds`."""
        deadline = time.monotonic() + seconds
        with self._jobs.all_tasks_done:
            while self._jobs.unfinished_tasks:
                left = deadline - time.monotonic()
                if left <= 0:
                    return False
                self._jobs.all_tasks_done.wait(left)
        return True

    def _run(self) -> None:
        while True:
            job = self._jobs.get()
            try:
                job()
            except Exception:
                _log.exception("tidying up failed; it is done at the next start")
            finally:
                self._jobs.task_done()


class Alarm:
    """Calls functions after a delay. They must be short and must not raise."""

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
