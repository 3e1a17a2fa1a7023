"""The containers of one run: prepared ahead, run in threads, and stopped together."""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from chains.engine.port import Cause, Engine, EngineError, Exit, StepSpec
from chains.runner.launch import NO_CODE, Launch, LaunchEnd, Part
from chains.runner.ports import RunStaff
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


@dataclass(frozen=True, slots=True)
class PartDue:
    """The event that the next attempt at a part may begin."""

    part: Part


class RunContainers:
    """Runs steps and replicas, and returns their events from `next`, one at a time.

    One thread calls `prepare`, `begin`, `begin_again` and `next`; any may call `stop` and `remove`. The
    threads of `slots` record starts and lines. A start is recorded before `next` returns its event.
    """

    def __init__(self, engine: Engine, staff: RunStaff, records: StepRecords) -> None:
        self._engine = engine
        self._slots, self._ahead, self._alarm = staff.steps, staff.ahead, staff.alarm
        self._records = records
        self._events: queue.SimpleQueue[PartStarted | PartEnded | PartDue] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._launches: dict[Part, Launch] = {}
        self._running: set[Part] = set()
        self._waiting: set[Part] = set()
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

    def begin_again(self, part: Part, seconds: float) -> Launch:
        """Schedule a part that has ended again, after some seconds. Return its launch, to be removed."""
        with self._lock:
            launch = self._launches.pop(part)
            self._running.add(part)
            self._waiting.add(part)
            halted = self.halted
        if halted:
            self._end_wait(part, _stopped(part))
        else:
            self._alarm.after(seconds, partial(self._end_wait, part, PartDue(part)))
        return launch

    def _end_wait(self, part: Part, event: PartDue | PartEnded) -> None:
        """Report the end of a part's wait, once."""
        with self._lock:
            if part in self._waiting:
                self._waiting.discard(part)
                self._events.put(event)

    def next(self) -> PartStarted | PartEnded | PartDue | None:
        """Wait for the next event and return it. Return None if no part is running or waits."""
        if not self._running:
            return None
        event = self._events.get()
        if not isinstance(event, PartStarted):
            with self._lock:
                self._running.discard(event.part)
        return event

    def stop(self, grace: float) -> None:
        """Stop all running parts, and let no more begin. Parts that wait for another attempt end at once."""
        with self._lock:
            self.halted = True
            launches, waiting = list(self._launches.values()), list(self._waiting)
        for part in waiting:
            self._end_wait(part, _stopped(part))
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
            _log.exception("step %s of run %s failed unexpectedly", part, launch.spec.run)
            launch.stop(0)
            lost = Exit(NO_CODE, Cause.LOST, str(error))
            end = LaunchEnd(lost, time.monotonic() - began[0] if began else None)
        self._events.put(PartEnded(part, end))


def _stopped(part: Part) -> PartEnded:
    """Return the end of a part that was to be tried again."""
    return PartEnded(part, LaunchEnd(Exit(NO_CODE, Cause.STOPPED), None))
