"""The containers of one run: prepared ahead, run in threads, and stopped together."""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial

from chains.engine.port import Cause, Engine, EngineError, Exit, StepSpec
from chains.runner.fair_slots import RunSlots
from chains.runner.launch import NO_CODE, Launch, LaunchEnd, Part
from chains.runner.step_records import StepRecords

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class PartStarted:
    """The event that the command of a part has started."""

    part: Part


@dataclass(frozen=True, slots=True)
class PartEnded:
    """The event that a part has ended."""

    part: Part
    end: LaunchEnd


class RunContainers:
    """Runs steps and replicas, and returns their events from `next`, one at a time.

    One thread calls `prepare`, `begin` and `next`; any thread may call `stop` and `remove`. The threads of
    `slots` record starts and lines. A start is recorded before `next` returns its event.
    """

    def __init__(self, engine: Engine, slots: RunSlots, ahead: Executor, records: StepRecords) -> None:
        self._engine = engine
        self._slots = slots
        self._ahead = ahead
        self._records = records
        self._events: queue.SimpleQueue[PartStarted | PartEnded] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._launches: dict[Part, Launch] = {}
        self._running: set[Part] = set()
        self.halted = False

    def prepare(self, part: Part, spec: Callable[[], StepSpec]) -> None:
        """Make the container of a step that will begin soon, in the background, from `spec`."""
        if part in self._launches:
            return
        launch = Launch(self._engine, spec())
        with self._lock:
            if not self.halted:
                self._launches[part] = launch
                self._ahead.submit(launch.prepare)

    def begin(self, part: Part, spec: Callable[[], StepSpec], ask: Callable[[], object]) -> None:
        """Run a part, prepared or not, unless `ask` raises Denied. Do nothing after `stop` was called."""
        launch = self._launches.get(part) or Launch(self._engine, spec())
        with self._lock:
            if self.halted:
                return
            self._launches[part] = launch
            self._running.add(part)
            self._slots.submit(partial(self._run, part, launch, ask))

    def next(self) -> PartStarted | PartEnded | None:
        """Wait for the next event and return it. Return None if no part is running."""
        if not self._running:
            return None
        event = self._events.get()
        if isinstance(event, PartEnded):
            with self._lock:
                self._running.discard(event.part)
        return event

    def stop(self, grace: float) -> None:
        """Stop all running parts, and let no more begin."""
        with self._lock:
            self.halted = True
            launches = list(self._launches.values())
        for launch in launches:
            launch.stop(grace)

    def remove(self, part: Part | None = None) -> None:
        """Remove the container of a part, or all. If that fails, the sweep at the next start removes it."""
        with self._lock:
            launches = [self._launches[part]] if part in self._launches else []
            if part is None:
                launches = list(self._launches.values())
        for launch in launches:
            try:
                launch.remove()
            except EngineError as error:
                _log.warning("a container is left for the next start to remove: %s", error)

    def _run(self, part: Part, launch: Launch, ask: Callable[[], object]) -> None:
        """Run a part to its end. Report the end even after an unexpected error."""
        began: list[float] = []

        def note_start() -> None:
            began.append(time.monotonic())
            self._records.start(part)
            self._events.put(PartStarted(part))

        try:
            end = launch.run(note_start, partial(self._records.log, part), ask)
        except Exception as error:
            _log.exception("step %s of run %s broke off", part, launch.spec.run)
            launch.stop(0)
            lost = Exit(NO_CODE, Cause.LOST, str(error))
            end = LaunchEnd(lost, time.monotonic() - began[0] if began else None)
        self._events.put(PartEnded(part, end))
