"""Run cleanup jobs in a separate thread, so that runs do not wait for them."""

from __future__ import annotations

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
