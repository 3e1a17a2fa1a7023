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

from chains.engine.port import Cause, Engine, EngineError, Exit, Line, StepSpec
from chains.runner.fair_slots import Share
from chains.runner.launch import NO_CODE, Ended, Launch

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Part:
    """What one container does: a step, or one replica of a fan-out;
    as text it is the prefix of its lines in the log.
    """

    step: str
    replica: int | None = None

    def __str__(self) -> str:
        return self.step if self.replica is None else f"{self.step}[{self.replica}]"


@dataclass(frozen=True, slots=True)
class Started:
    """A part's command runs."""

    part: Part


@dataclass(frozen=True, slots=True)
class Over:
    """A part came to its end."""

    part: Part
    ended: Ended


class Containers:
    """Runs steps and replicas. What happens to them is handed out by `next`, one thing at a time.

    One thread calls `prepare`, `begin` and `next`; any thread may `stop` and `remove`.
    `ask(part)`, which raises Denied when it may not begin, `started(part)` and `tell(part, line)` are called
    from the threads of `steps`, `started` before `next` tells of it.
    """

    def __init__(
        self,
        engine: Engine,
        steps: Share,
        ahead: Executor,
        ask: Callable[[Part], object],
        started: Callable[[Part], object],
        tell: Callable[[Part, Line], None],
    ) -> None:
        self._engine = engine
        self._steps = steps
        self._ahead = ahead
        self._ask = ask
        self._started = started
        self._tell = tell
        self._happened: queue.SimpleQueue[Started | Over] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._launches: dict[Part, Launch] = {}
        self._running: set[Part] = set()
        self.halted = False

    def prepare(self, part: Part, spec: Callable[[], StepSpec]) -> None:
        """Make the container of a step that will begin soon, in the background;
        `spec` describes it when asked.
        """
        if part in self._launches:
            return
        launch = Launch(self._engine, spec())
        with self._lock:
            if not self.halted:
                self._launches[part] = launch
                self._ahead.submit(launch.prepare)

    def begin(self, part: Part, spec: Callable[[], StepSpec]) -> None:
        """Run a step, prepared or not; nothing happens once `stop` was called."""
        launch = self._launches.get(part) or Launch(self._engine, spec())
        with self._lock:
            if self.halted:
                return
            self._launches[part] = launch
            self._running.add(part)
            self._steps.submit(partial(self._run, part, launch))

    def next(self) -> Started | Over | None:
        """What happens next; None when nothing runs."""
        if not self._running:
            return None
        what = self._happened.get()
        if isinstance(what, Over):
            with self._lock:
                self._running.discard(what.part)
        return what

    def stop(self, grace: float) -> None:
        """Let nothing more begin, and stop what runs."""
        with self._lock:
            self.halted = True
            launches = list(self._launches.values())
        for launch in launches:
            launch.stop(grace)

    def remove(self, part: Part | None = None) -> None:
        """Make a step's container disappear, or every one;
        what cannot be removed is left for the next start's sweep.
        """
        with self._lock:
            launches = [self._launches[part]] if part in self._launches else []
            if part is None:
                launches = list(self._launches.values())
        for launch in launches:
            try:
                launch.remove()
            except EngineError as error:
                _log.warning("a container is left for the next start to remove: %s", error)

    def _run(self, part: Part, launch: Launch) -> None:
        """Run a step to its end, and say so whatever happens."""
        began: list[float] = []

        def started() -> None:
            began.append(time.monotonic())
            self._started(part)
            self._happened.put(Started(part))

        try:
            ended = launch.run(started, lambda line: self._tell(part, line), lambda: self._ask(part))
        except Exception as error:
            _log.exception("step %s of run %s broke off", part, launch.spec.run)
            launch.stop(0)
            lost = Exit(NO_CODE, Cause.LOST, str(error))
            ended = Ended(lost, time.monotonic() - began[0] if began else None)
        self._happened.put(Over(part, ended))
