"""Cleans up off the path of runs, in a thread of its own."""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Callable

_log = logging.getLogger(__name__)


class Cleaner:
    """Does jobs one after the other, in the order they were left; one that fails is only logged."""

    def __init__(self) -> None:
        self._jobs: queue.Queue[Callable[[], object]] = queue.Queue()
        threading.Thread(target=self._run, name="cleaner", daemon=True).start()

    def leave(self, job: Callable[[], object]) -> None:
        """Have something done soon."""
        self._jobs.put(job)

    def drain(self, seconds: float) -> bool:
        """Wait until everything left so far is done; False when that takes longer."""
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
