"""StepHost: the steps of one worker, on its own engine.

It is independent of Dask.
"""

from __future__ import annotations

import itertools
import logging
import queue
import threading
import uuid
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from chains.dask.attempt import StepAttempt
from chains.dask.orders import Letter, LineFlusher, News, Seal, open_order
from chains.engine.port import Engine, EngineError
from chains.files.removal import remove
from chains.runs.retry import Patience
from chains.sharing.run_files import PatientRunFiles, RunFiles
from chains.sharing.shared_images import ImageStore

END_SECONDS = 2.0
"""Seconds within which killed steps report their end."""

_log = logging.getLogger(__name__)

Publish = Callable[[dict[str, Any]], object]
"""A function that sends a sealed letter. Letters of one attempt arrive in the order of sending."""


class StepHost:
    """A host that performs orders, each in the caller's thread, and stops them by their keys.

    `folder` is emptied and used by nothing else: it has the folders of steps, and Dask's own in `scratch`.
    Containers left by an earlier process of this worker are removed before the first order; raises
    EngineError if that fails. `own` are variables of the service with other values on this host (None: not
    set here).
    """

    def __init__(
        self,
        engine: Engine,
        images: ImageStore,
        files: RunFiles,
        seal: Seal,
        folder: Path,
        own: Mapping[str, str | None] = MappingProxyType({}),
    ) -> None:
        self._engine = engine
        self._images = images
        self._closed = threading.Event()
        self._files = PatientRunFiles(files, Patience(self._closed))
        self._seal = seal
        self._own = own
        self._folder = folder
        self.scratch = folder / "dask"
        self._lock = threading.Lock()
        self._attempts: dict[str, tuple[str, StepAttempt]] = {}
        self._idle = threading.Condition(self._lock)
        self._flusher = LineFlusher()
        self._left: queue.SimpleQueue[Callable[[], object] | None] = queue.SimpleQueue()
        for run in engine.sweep(lambda run: False):
            _log.warning("removed containers that were left of run %s", run)
        remove(folder)
        self.scratch.mkdir(mode=0o711, parents=True)
        self._cleaner = threading.Thread(target=self._clean, name="cleaner", daemon=True)
        self._cleaner.start()

    def perform(self, key: str, sealed: str, worker: str, publish: Publish) -> None:
        """Perform an order to its end. `worker` is the address given in its letters.

        Raises EngineError for an order that was not sealed for this key by this installation.
        """
        order, name = open_order(sealed, self._seal, key).on_host(self._own), uuid.uuid4().hex
        numbers = itertools.count()
        sending = threading.Lock()

        def tell(news: News) -> None:
            with sending:
                publish(Letter(key, name, next(numbers), worker, news).seal(self._seal))

        place = self._folder / name
        attempt = StepAttempt(order, place, self._engine, self._images, self._files, tell, self._flusher)
        with self._lock:
            if self._closed.is_set():
                return
            self._attempts[name] = (key, attempt)
        try:
            place.mkdir(mode=0o711)
            attempt.perform()
        finally:
            self._left.put(lambda: self._forget(name, attempt, place))

    def permit(self, attempt: str) -> bool:
        """Permit an attempt. Return False if it no longer waits."""
        _, found = self._attempts.get(attempt, ("", None))
        return found is not None and found.permit()

    def stop(self, key: str, grace: float) -> None:
        """Stop all attempts of a task, if there are any."""
        for found, attempt in list(self._attempts.values()):
            if found == key:
                attempt.stop(grace)

    @property
    def is_busy(self) -> bool:
        """Whether an attempt has not ended, or is still being cleaned up."""
        return bool(self._attempts)

    def runs(self) -> set[str]:
        """Return the runs that have containers here."""
        found: set[str] = set()

        def keep(run: str) -> bool:
            found.add(run)
            return True

        self._engine.sweep(keep)
        return found

    def sweep(self, runs: Collection[str]) -> list[str]:
        """Remove the containers of these runs. Return the runs that had any."""
        for _, attempt in list(self._attempts.values()):
            if attempt.order.run in runs:
                attempt.stop(0)
        return self._engine.sweep(lambda run: run not in runs)

    def close(self) -> None:
        """End everything: stop attempts at once, remove their containers and folders."""
        with self._lock:
            self._closed.set()
            attempts = [attempt for _, attempt in self._attempts.values()]
        for attempt in attempts:
            attempt.stop(0)
        # Runners then get the ends of these attempts, and not only the loss of the worker.
        with self._idle:
            self._idle.wait_for(lambda: not self._attempts, END_SECONDS)
        try:
            self._engine.sweep(lambda run: False)
        except EngineError as error:
            _log.warning("containers are left for the next start to remove: %s", error)
        self._left.put(None)
        self._cleaner.join(10)
        self._flusher.close()

    def _forget(self, name: str, attempt: StepAttempt, place: Path) -> None:
        with self._lock:
            self._attempts.pop(name, None)
            self._idle.notify_all()
        attempt.remove()
        remove(place)

    def _clean(self) -> None:
        """Clean up after attempts, in a thread that delays no step."""
        while (act := self._left.get()) is not None:
            try:
                act()
            except Exception:
                _log.exception("tidying up failed; it is done at the next start")
