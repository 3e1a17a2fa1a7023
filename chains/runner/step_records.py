"""Records of a run's steps in the journal: status changes, log lines, and what explains a failure."""

from __future__ import annotations

import re
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from chains.engine.port import Line, StepSpec
from chains.files.names import printable
from chains.plan.model import ImageSource, PlannedStep
from chains.runner.journal import Journal
from chains.runner.launch import Part
from chains.runs.records import COMMAND, ERROR, INFO, REPEATED, WARNING, Move
from chains.runs.states import StepStatus
from vfs.ports.clock import Clock, stamp

UNRUNNABLE = re.compile(r"\(catatonit:\d+\): failed to exec pid1: Permission denied")
UNRUNNABLE_ADVICE = (
    "the image's command is no program that its user (USER in the Dockerfile) may run: give it and the "
    "folders above it to that user, or let everybody run it (chmod a+rx), and push again"
)

LAST = 5
LONGEST = 500


@dataclass(frozen=True, slots=True)
class Failure:
    """A part that failed, the reason as a sentence, and the name of a replica's file."""

    part: Part
    why: str
    file: str = ""


@dataclass(slots=True)
class Postmortem:
    """Remembers the last lines of every part. `command` returns the shell command that runs a step."""

    command: Callable[[StepSpec], str]
    _printed: dict[Part, deque[str]] = field(default_factory=dict)
    _ending: tuple[Part, int] | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def remember(self, part: Part, text: str, *, logged: bool = True) -> None:
        """Remember a line that a part printed. Only the last lines are kept."""
        with self._lock:
            self._printed.setdefault(part, deque(maxlen=LAST)).append(text[:LONGEST])
            before = self._ending[1] if self._ending is not None and self._ending[0] == part else 0
            self._ending = (part, before + 1) if logged else None

    def forget(self, part: Part) -> None:
        """Forget the lines of a part, as it is tried again."""
        with self._lock:
            self._printed.pop(part, None)
            self._ending = None

    def last_lines(self, part: Part) -> Iterator[str]:
        """Yield the last lines of a part for the end of the log, unless the log already ends with them."""
        with self._lock:
            last = tuple(self._printed.get(part, ()))
            repeated = self._ending is None or self._ending[0] != part or self._ending[1] < len(last)
        if last and repeated:
            yield f"{part}: {REPEATED}"
            yield from (f"{part}:   {text}" for text in last)

    def last_word(self, part: Part) -> str:
        """Return the last non-blank line of a part. After a crash it is usually the reason."""
        with self._lock:
            last = tuple(self._printed.get(part, ()))
        return next((text.strip() for text in reversed(last) if text.strip()), "")

    def advice(self, part: Part) -> Iterator[str]:
        """Yield advice if the container's init reports that the image's user may not run the command."""
        if UNRUNNABLE.search(self.last_word(part)):
            yield f"{part}: {UNRUNNABLE_ADVICE}"

    def by_hand(self, part: Part, source: ImageSource, spec: StepSpec) -> str:
        """Return the line that shows how to run a part by hand."""
        commit = f" (commit {source.commit})" if source.commit else ""
        return f"{part}: to run it by hand: {self.command(spec)}  # {source}{commit}"


@dataclass(slots=True)
class StepRecords:
    """Records the status and output of parts. The threads of the steps call `start` and `log`."""

    journal: Journal
    clock: Clock
    postmortem: Postmortem
    _running: set[Part] = field(default_factory=set)
    _failed: set[Part] = field(default_factory=set)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def start(self, part: Part) -> None:
        """Record that a part runs. With its first replica, record that the step runs."""
        now = stamp(self.clock.now())
        with self._lock:
            for one in (Part(part.step), part):
                if one not in self._running:
                    self._running.add(one)
                    self.journal.move(Move(one.step, StepStatus.RUNNING, now, one.replica))

    def try_again(self, part: Part, attempt: int) -> None:
        """Record that another attempt at a part begins. What it printed before is not shown as its last."""
        self.postmortem.forget(part)
        now = stamp(self.clock.now())
        self.start(part)
        self.journal.move(Move(part.step, StepStatus.RUNNING, now, part.replica, attempt=attempt))

    def log(self, part: Part, line: Line) -> None:
        """Record a line that a part printed."""
        severity = INFO if line.stream == "stdout" else WARNING
        logged = self.journal.tell(line.time, severity, f"{part}: {line.text}")
        self.postmortem.remember(part, line.text, logged=logged)

    def move(
        self, part: Part, status: StepStatus, tally: str | None = None, files: str | None = None
    ) -> None:
        """Record a new status of a part, and the tally and files of its output."""
        self.journal.move(Move(part.step, status, stamp(self.clock.now()), part.replica, tally, files))

    def drop(self, part: Part, files: Iterable[tuple[str, str]], shown: str = "/output") -> None:
        """Record the paths that were dropped from an output or a copy of a space, with the reasons."""
        for rel, why in files:
            self.journal.say(f"{part}: dropped {printable(rel)} from {shown}: {why}", WARNING)

    def explain(self, part: Part, step: PlannedStep, spec: StepSpec) -> None:
        """Record how to run a failed part by hand, and its last lines."""
        self.journal.say(self.postmortem.by_hand(part, step.source, spec), COMMAND)
        for line in (*self.postmortem.advice(part), *self.postmortem.last_lines(part)):
            self.journal.say(line)

    def has_failed(self, step: str) -> bool:
        """Return whether the failure of a step, or of one of its replicas, is recorded."""
        return Part(step) in self._failed

    def fail(self, failure: Failure) -> None:
        """Record that a part failed. The first failing replica of a fan-out fails its step too."""
        part = failure.part
        self.start(part)
        for one in dict.fromkeys((part, Part(part.step))):
            if one not in self._failed:
                self._failed.add(one)
                self.move(one, StepStatus.FAILED)

    def give_reason(self, failure: Failure) -> None:
        """Log why the run fails. This is the only error in its log that a step causes."""
        self.journal.say(self._sentence(failure), ERROR)

    def mention(self, failure: Failure) -> None:
        """Log that a part also failed, after the first failure stopped the others."""
        self.journal.say(self._sentence(failure), WARNING)

    def _sentence(self, failure: Failure) -> str:
        """Return the line about a failure, with the replica's file and the last line printed by the part."""
        word = self.postmortem.last_word(failure.part)
        last = f"; it printed last: {word}" if word else ""
        file = f"{failure.file}: " if failure.file else ""
        return f"{failure.part}: {file}{failure.why}{last}"
