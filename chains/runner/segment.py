"""A stretch of a run: its steps in the order of the plan, from where it stands to its end or to a hold."""

from __future__ import annotations

import shutil
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from chains.engine.port import Cause, Line, Mount, StepSpec
from chains.files.run_folders import Checked, Found, RunFolder, check, outlast
from chains.language.ast import Phase
from chains.plan.compiler import Hold, PlannedStep
from chains.plan.frontier import Progress
from chains.runner.cleanup import Cleaner
from chains.runner.containers import Containers, Part, Started
from chains.runner.fan_out import INPUT, alone, incoming, inputs, merge
from chains.runner.journal import Journal
from chains.runner.launch import Ended
from chains.runner.policy import Terms
from chains.runner.postmortem import Postmortem
from chains.runner.space_copies import Mounts
from chains.runs.book import Move
from chains.runs.records import ERROR, INFO, WARNING
from chains.runs.states import StepStatus
from vfs.errors import Denied, VfsError
from vfs.ports.world import Clock, stamp

OUTPUT = "/output"
# Making a container takes longer than a short step, and less than a long one; more would lie idle.
AHEAD = 2


@dataclass(slots=True)
class Stretch:
    """Takes steps from `progress` and runs them in `containers`, until none runs and none may begin.

    `outputs` are those of the steps that are done, `inputs` the folders that a step reads instead of what
    comes in by the plan. `variables(step)` are a step's environment, `stop` tears the run down.
    """

    run: int
    progress: Progress
    folder: RunFolder
    journal: Journal
    cleaner: Cleaner
    terms: Terms
    clock: Clock
    variables: Callable[[PlannedStep], Mapping[str, str]]
    mounts: Mounts
    postmortem: Postmortem
    outputs: dict[str, Checked] = field(default_factory=dict)
    inputs: dict[str, Path] = field(default_factory=dict)
    failed: bool = False
    containers: Containers = field(init=False)
    _replicas: dict[str, dict[int, Checked | None]] = field(default_factory=dict)
    _running: set[Part] = field(default_factory=set)
    _broken: set[Part] = field(default_factory=set)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def follow(self, containers: Containers) -> None:
        """Run the steps as they become ready, until none runs and none may begin."""
        self.containers = containers
        started: set[str] = set()
        self._begin(self.progress.ready())
        while (what := containers.next()) is not None:
            name = what.part.step
            if isinstance(what, Started):
                if name not in started:
                    started.add(name)
                    self._prepare(name, started)
                self.journal.flush()
            elif self._settle(what.part, what.ended):
                self._begin(self.progress.finish(name))
            if self.journal.orphaned.is_set():
                self.stop()

    def stop(self) -> None:
        """Let nothing more begin, and stop what runs."""
        self.containers.stop(self.terms.stop_grace)

    def resume(self, done: Iterable[str]) -> None:
        """Take up the outputs of steps that are done."""
        for name in done:
            self.outputs[name] = check(self.folder.output(name), sys.maxsize, sys.maxsize)

    def passed(self, hold: Hold, fetch: Callable[[Path], None]) -> None:
        """Put the files that a hold was continued with where the next steps read them.

        After several steps at once, each one's are those in the folder of its name.
        """
        if hold.phase is Phase.AFTER and len(hold.steps) == 1:
            fetch(self.folder.empty(hold.steps[0]))
            self.resume(hold.steps)
            return
        target = self.folder.returned(hold.step, hold.phase)
        fetch(target)
        for name in hold.steps:
            if hold.phase is Phase.BEFORE:
                self.inputs[name] = target
            elif (target / name).is_dir():
                shutil.copytree(target / name, self.folder.empty(name), dirs_exist_ok=True)
            else:
                self.folder.empty(name)
        if hold.phase is Phase.AFTER:
            self.resume(hold.steps)

    def parked(self, hold: Hold) -> list[Found]:
        """The files that people are shown at a hold."""
        if hold.phase is Phase.BEFORE:
            return self._incoming(self.progress.step(hold.steps[0]))
        if len(hold.steps) == 1:
            return list(self.outputs[hold.steps[0]].files)
        return [
            Found(f"{name}/{file.rel}", file.path, file.size)
            for name in hold.steps
            for file in self.outputs[name].files
        ]

    def settle(self, hold: Hold) -> None:
        """What steps left, and others read after the hold, outlives a power cut. Raises OSError.

        What the hold itself parks comes back from where it is parked.
        """
        for name in self.progress.needed(hold):
            outlast(self.folder.output(name), self.outputs[name].files)

    def started(self, part: Part) -> None:
        """A part's command runs; called from the threads of the steps."""
        now = self._now()
        with self._lock:
            for one in (Part(part.step), part):
                if one not in self._running:
                    self._running.add(one)
                    self.journal.move(Move(one.step, StepStatus.RUNNING, now, one.replica))

    def ask(self, part: Part) -> None:
        """Raise Denied when a part may not begin; called as `started` is."""
        self.mounts.permission.ask([self.progress.step(part.step)])

    def tell(self, part: Part, line: Line) -> None:
        """A part printed a line."""
        severity = INFO if line.stream == "stdout" else WARNING
        self.postmortem.heard(part, line.text)
        self.journal.tell(line.time, severity, f"{part}: {line.text}")

    def _begin(self, steps: Iterable[PlannedStep]) -> None:
        waiting = deque(steps)
        while waiting:
            step = waiting.popleft()
            if not step.fan_out:
                self._start(step, (None,))
            elif self._fan_out(step):
                waiting += self.progress.finish(step.name)

    def _prepare(self, name: str, begun: Set[str], far: int = AHEAD) -> None:
        """Make the containers of the steps that follow one, `far` of them in a row."""
        for step in self.progress.soon(name, begun):
            # A copy of a space is made when the step begins: what goes before may change it.
            if not step.fan_out and not self.mounts.seen(step):
                self.containers.prepare(Part(step.name), partial(self._spec, step))
                if far > 1:
                    self._prepare(step.name, begun | {step.name}, far - 1)

    def _fan_out(self, step: PlannedStep) -> bool:
        """Begin a replica for each file; True when there is none, so that the step is done."""
        now = self._now()
        try:
            files = self._incoming(step)
            for replica, file in enumerate(files):
                alone(self.folder, step.name, replica, file)
        except (VfsError, OSError) as error:
            self._fail(Part(step.name), reason(error))
            return False
        if not files:
            self.journal.say(f"{step.name}: there is no file to fan out over.")
            self.journal.move(Move(step.name, StepStatus.RUNNING, now))
            self.journal.move(Move(step.name, StepStatus.SUCCESS, now))
            self.outputs[step.name] = Checked((), ())
            return True
        self._replicas[step.name] = dict.fromkeys(range(len(files)))
        for replica in range(len(files)):
            self.journal.move(Move(step.name, StepStatus.PENDING, now, replica))
        self._start(step, range(len(files)))
        return False

    def _start(self, step: PlannedStep, replicas: Iterable[int | None]) -> None:
        for replica in replicas:
            part = Part(step.name, replica)
            try:
                self.mounts.show(step, part)
            except (VfsError, OSError) as error:
                self._fail(part, reason(error), isinstance(error, Denied))
                return
            self.containers.begin(part, partial(self._spec, step, replica))

    def _incoming(self, step: PlannedStep) -> list[Found]:
        given = self.inputs.get(step.name)
        if given is None and step.predecessors:
            return incoming(step, self.outputs)
        return list(check(given or self.folder.input, sys.maxsize, sys.maxsize).files)

    def _spec(self, step: PlannedStep, replica: int | None = None) -> StepSpec:
        output, part = self.folder.output(step.name, replica), Part(step.name, replica)
        env = self.variables(step)
        return StepSpec(
            run=str(self.run),
            step=step.name,
            image=step.source.image_id or "",
            env=env,
            mounts=(
                *self._mounts(step, replica),
                *self.mounts.of(step, part),
                Mount(output, OUTPUT, writable=True),
            ),
            output=output,
            limits=self.terms.limits,
            network=self.terms.reach(env),
            replica=replica,
        )

    def _mounts(self, step: PlannedStep, replica: int | None) -> list[Mount]:
        """What a part reads: its one file, what it is given, or what comes in by the plan (decisions 19)."""
        if replica is not None:
            return [Mount(self.folder.input_of(step.name, replica), INPUT)]
        if step.name in self.inputs:
            return [Mount(self.inputs[step.name], INPUT)]
        return inputs(step, self.folder)

    def _settle(self, part: Part, ended: Ended) -> bool:
        """Record how a part ended; True when the step is done by it."""
        self.cleaner.leave(lambda: self.containers.remove(part))
        said = ended.sentence(self.terms.limits)
        if self.containers.halted and ended.exit.cause is Cause.STOPPED:
            if ended.seconds is not None:
                self.journal.say(f"{part}: {said}")
                self.journal.move(Move(part.step, StepStatus.CANCELED, self._now(), part.replica))
            return False
        if not ended.exit.succeeded:
            self._fail(part, said, ended.exit.cause is Cause.REFUSED)
            return False
        self.journal.say(f"{part}: {said}")
        try:
            checked = self._checked(part)
            self.mounts.write_back(self.progress.step(part.step), part)
            if part.replica is not None:
                self.journal.move(Move(part.step, StepStatus.SUCCESS, self._now(), part.replica))
                checked = self._gathered(part.step, part.replica, checked)
        except (VfsError, OSError) as error:
            self._fail(part, reason(error), isinstance(error, Denied))
            return False
        if checked is None:
            return False
        self.outputs[part.step] = checked
        self.journal.move(Move(part.step, StepStatus.SUCCESS, self._now()))
        return True

    def _checked(self, part: Part) -> Checked | None:
        """What a part left, looked through."""
        checked = check(self.folder.output(part.step, part.replica), self.terms.limits.output)
        for rel, why in checked.dropped:
            self.journal.say(f"{part}: dropped {rel} from /output: {why}", WARNING)
        return checked

    def _gathered(self, step: str, replica: int, checked: Checked | None) -> Checked | None:
        """The output of a fan-out when its last replica is done; None before."""
        replicas = self._replicas[step]
        replicas[replica] = checked
        outputs = [output for output in replicas.values() if output is not None]
        return merge(outputs, self.folder.output(step)) if len(outputs) == len(replicas) else None

    def _fail(self, part: Part, why: str, refused: bool = False) -> None:
        """Record that a part failed, and stop the others. The reason is the last that is said of it."""
        step = self.progress.step(part.step)
        if not refused and Part(part.step) not in self._broken:
            for line in self.postmortem.of(part, step.source, self._spec(step, part.replica)):
                self.journal.say(line)
        self.journal.say(f"{part}: {why}", ERROR)
        self.started(part)
        # Of a fan-out, the first replica that fails takes the step with it.
        for one in dict.fromkeys((part, Part(part.step))):
            if one not in self._broken:
                self._broken.add(one)
                self.journal.move(Move(one.step, StepStatus.FAILED, self._now(), one.replica))
        self.failed = True
        self.stop()

    def _now(self) -> str:
        return stamp(self.clock.now())


def reason(error: VfsError | OSError) -> str:
    """What went wrong, for the log."""
    return error.detail if isinstance(error, VfsError) else f"{error.strerror or error}."
