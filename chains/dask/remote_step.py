"""RemoteStep: one step as its runner sees it, from its order to its end.

It gives the single permit.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from chains.dask.orders import Letter, StepEnded, StepLines, StepReady, StepRefused, StepRunning, StepTaken
from chains.engine.port import Cause, EngineAway, Exit, Line, StepSpec

NO_CODE = -1


@dataclass(frozen=True, slots=True)
class Lost:
    """No more news of the step will arrive, for this reason."""

    reason: str


@dataclass(frozen=True, slots=True)
class Nudge:
    """A sign for the reader to check whether the step was stopped."""


class RemoteStep:
    """The letters about one step. One thread reads them in order; `hear` and `stop` may be called from any.

    `permit` permits an attempt on the worker at an address, and returns whether it begins. It is called for
    one attempt of a step only: other attempts that the scheduler starts never run.
    """

    def __init__(self, spec: StepSpec, key: str, permit: Callable[[str, str], bool]) -> None:
        self.spec = spec
        self.key = key
        self.worker = ""
        self.ended = threading.Event()
        self._permit = permit
        self._inbox: queue.SimpleQueue[Letter | Lost | Nudge] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._attempt = ""
        self._next = 0
        self._lost: Lost | None = None
        self._is_stopped = False

    def hear(self, what: Letter | Lost) -> None:
        """Queue a letter or a loss for the reader. Returns at once."""
        self._inbox.put(what)

    def stop(self) -> bool:
        """End the step as stopped. Return whether it may have begun, so that its worker must be notified."""
        with self._lock:
            self._is_stopped = True
            self._inbox.put(Nudge())
            return bool(self._attempt)

    def await_running(self, patience: float) -> StepRefused | None:
        """Return None when the step runs, is stopped or is lost, or a refusal if it cannot begin.

        Raises EngineAway if no worker takes it within `patience` seconds.
        """
        until: float | None = time.monotonic() + patience
        while not self.is_over:
            match self._read(until):
                case Letter(news=StepTaken()):
                    until = None
                case Letter(news=StepReady()) as letter:
                    self._begin(letter)
                case Letter(news=StepRefused() as refused, worker=worker) if refused.away:
                    return replace(refused, reason=f"the worker {worker} says: {refused.reason}")
                case Letter(news=StepRefused() as refused):
                    return refused
                case Letter(news=StepRunning()):
                    return None
                case Lost(reason) if not self._attempt:
                    return StepRefused(reason, away=True)
                case None:
                    raise EngineAway(f"no worker had room for step {self.spec.step} within {patience:g} s")
        return None

    def await_end(self, tell: Callable[[Line], None]) -> StepEnded:
        """Pass on every line, and return the end. It is LOST if no more news of the step can arrive."""
        while not self.is_over:
            match self._read(None):
                case Letter(news=StepLines(lines)):
                    for line in lines:
                        tell(line)
                case Letter(news=StepEnded() as ended):
                    if ended.exit.cause is not Cause.STOPPED or self._is_stopped:
                        return ended
                    self._lost = Lost(f"the worker {self.worker} was stopped")
        if self._is_stopped:
            return StepEnded(Exit(NO_CODE, Cause.STOPPED))
        return StepEnded(Exit(NO_CODE, Cause.LOST, self._lost.reason if self._lost else ""))

    @property
    def is_over(self) -> bool:
        """Whether there is nothing to wait for: the step is lost, or was stopped before its permit."""
        return self._lost is not None or (self._is_stopped and not self._attempt)

    def _read(self, until: float | None) -> Letter | Lost | Nudge | None:
        """Return the next message for the step, or None at the time limit.

        If a letter of the permitted attempt is not the next by number, one is missing. If another attempt is
        ready, the scheduler has given up the permitted one.
        """
        try:
            what = self._inbox.get(timeout=None if until is None else max(until - time.monotonic(), 0))
        except queue.Empty:
            return None
        if isinstance(what, Lost):
            self._lost = what
        elif isinstance(what, Letter) and self._attempt:
            if what.attempt != self._attempt:
                if isinstance(what.news, StepReady):
                    self._lost = Lost(f"the worker {self.worker} is gone")
                return Nudge()
            if what.number != self._next:
                self._lost = Lost(f"some of what the worker {self.worker} sent did not arrive")
                return Nudge()
            self._next += 1
        return what

    def _begin(self, letter: Letter) -> None:
        """Give the permit to the first attempt that is ready, unless the step was stopped."""
        with self._lock:
            if self._is_stopped:
                return
            self._attempt, self.worker, self._next = letter.attempt, letter.worker, letter.number + 1
        try:
            if not self._permit(letter.worker, letter.attempt):
                self._lost = Lost(f"the worker {letter.worker} did not begin it in time")
        except EngineAway as error:
            self._lost = Lost(str(error))
