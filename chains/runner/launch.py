"""The launch of a step, or of one replica of it, in a container: prepare, start, wait, stop, remove.

A launch that fails may be followed by other attempts.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from chains.engine.port import Cause, Engine, EngineAway, EngineError, Exit, Handle, Limits, Line, StepSpec
from chains.files.names import DEEPEST
from chains.files.sizes import size_text
from chains.plan.model import PlannedStep
from vfs.errors import Denied, VfsError

NO_CODE = -1

LEVELS = f"a path below a folder that is kept has at most {DEEPEST} levels"

AGAIN = "that is no fault of the job: trigger it again with the same input"


TRIED_AGAIN = frozenset({Cause.TIME, Cause.LOST})
"""Ends without an exit code of the step's own that are retried, too."""


@dataclass(frozen=True, slots=True)
class Part:
    """A step, or one replica of a fan-out: the work of one container.

    Its string form is the prefix of its lines in the log.
    """

    step: str
    replica: int | None = None

    def __str__(self) -> str:
        return self.step if self.replica is None else f"{self.step}[{self.replica}]"


@dataclass(frozen=True, slots=True)
class LaunchEnd:
    """The end of a launch, and the seconds since its start (None if its command never ran)."""

    exit: Exit
    seconds: float | None

    def sentence(self, limits: Limits) -> str:
        """Return the end as text for the run's log: the exit code or the exceeded limit, and the duration."""
        took = "" if self.seconds is None else f" after {self.seconds:.2f} s"
        code, memory = self.exit.code, size_text(limits.memory)
        said = {
            Cause.EXIT: f"ended with exit code {code}{took}",
            Cause.STOPPED: f"was stopped{took}",
            Cause.MEMORY: f"failed{took}: it needed more than {memory} of memory (code {code})",
            Cause.TIME: f"failed{took}: it ran longer than {limits.seconds:g} s",
            Cause.OUTPUT: f"failed{took}: it wrote more than {size_text(limits.output)} to /output",
            Cause.MOUNT: f"failed{took}: it wrote more to {self.exit.detail} than the space may take",
            Cause.DEPTH: f"failed{took}: it left {self.exit.detail}, which is too deep: {LEVELS}",
            Cause.LOG: f"failed{took}: it printed more than {size_text(limits.log)}",
            Cause.UNSTARTED: f"could not be started: {self.exit.detail}",
            Cause.REFUSED: self.exit.detail,
            Cause.LOST: f"failed{took}: its container was lost: {self.exit.detail}",
        }
        return said[self.exit.cause]


class Launch:
    """The launch of one step in its container.

    `prepare` may be called early, from another thread; `stop` may be called at any time.
    """

    def __init__(self, engine: Engine, spec: StepSpec) -> None:
        self.spec = spec
        self._engine = engine
        self._preparing = threading.Lock()
        self._state = threading.Lock()
        self._handle: Handle | None = None
        self._failure: EngineError | None = None
        self._begun = False
        self._halted = False
        self._removed = False

    def prepare(self) -> None:
        """Make the container, once. `run` reports any error."""
        with self._preparing:
            if self._handle is None and self._failure is None and not self._halted:
                try:
                    self._handle = self._engine.prepare(self.spec)
                except EngineError as error:
                    self._failure = error

    def run(
        self, started: Callable[[], object], tell: Callable[[Line], None], ask: Callable[[], object]
    ) -> LaunchEnd:
        """Run the step to its end. Call `started` when its command runs.

        `ask` raises Denied if the step may not run. It is the last call before the start.
        """
        self.prepare()
        refused = None if self._halted else _refusal(ask)
        with self._state:
            if self._halted:
                return LaunchEnd(Exit(NO_CODE, Cause.STOPPED), None)
            self._begun = refused is None
        if refused is not None:
            return LaunchEnd(refused, None)
        if self._handle is None:
            return LaunchEnd(Exit(NO_CODE, Cause.UNSTARTED, _why(self._failure)), None)
        moment = time.monotonic()
        try:
            self._engine.start(self._handle)
            started()
        except EngineError as error:
            return LaunchEnd(self._end_by(Cause.UNSTARTED, error), None)
        try:
            exit = self._engine.wait(self._handle, tell)
        except EngineError as error:
            exit = self._end_by(Cause.LOST, error)
        return LaunchEnd(exit, time.monotonic() - moment)

    def _end_by(self, cause: Cause, error: EngineError) -> Exit:
        """Return the exit of a step after an engine error: STOPPED if it was stopped, else `cause`."""
        with self._state:
            return Exit(NO_CODE, Cause.STOPPED) if self._halted else Exit(NO_CODE, cause, _why(error))

    def stop(self, grace: float) -> None:
        """Stop the step: SIGTERM now, SIGKILL after `grace` seconds. If it has not begun, it never will."""
        with self._state:
            self._halted = True
            begun = self._begun
        if begun and self._handle is not None:
            self._engine.stop(self._handle, grace)

    def remove(self) -> None:
        """Remove the container, in whatever state it is."""
        with self._state:
            self._halted = True
        with self._preparing:
            if self._handle is not None and not self._removed:
                self._engine.remove(self._handle)
                self._removed = True


class Attempts:
    """Counts the attempts at each part: a step, or a replica of it."""

    def __init__(self) -> None:
        self._failed: Counter[Part] = Counter()

    def number(self, part: Part) -> int:
        """Return the number of the part's present attempt, from 1."""
        return self._failed[part] + 1

    def wait(self, part: Part, step: PlannedStep, exit: Exit) -> float | None:
        """Count a failed attempt. Return the seconds until the next; None if no other follows."""
        config, number = step.config, self.number(part)
        is_retried = exit.cause in TRIED_AGAIN or (
            exit.cause is Cause.EXIT and config.retries_code(exit.code)
        )
        if number >= config.attempts or not is_retried:
            return None
        self._failed[part] += 1
        return config.wait_after(number)

    def of(self, part: Part, step: PlannedStep) -> str:
        """Return the number of an attempt after the first as words for the end of a sentence, or ""."""
        number = self.number(part)
        return f", in attempt {number} of {step.config.attempts}" if number > 1 else ""


def _refusal(ask: Callable[[], object]) -> Exit | None:
    """Return the exit of a step that may not begin, or None if it may."""
    try:
        ask()
    except Denied as error:
        return Exit(NO_CODE, Cause.REFUSED, error.detail)
    except VfsError as error:
        return Exit(NO_CODE, Cause.UNSTARTED, error.detail)
    return None


def _why(error: EngineError | None) -> str:
    """Return the error as text, with advice if the step is not at fault."""
    said = str(error)
    return f"{said.rstrip('.')}; {AGAIN}" if isinstance(error, EngineAway) else said
