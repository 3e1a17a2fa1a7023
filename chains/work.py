"""The work on one run: its steps in the order of the plan, what they hand on, and how it ends."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, field
from functools import partial

from chains.book import Move, Result, Run, RunBook
from chains.cleaner import Cleaner
from chains.containers import Containers, Started
from chains.engine import Cause, Engine, Limits, Line, Mount, Network, StepSpec
from chains.environ import environment
from chains.files import Checked, Folders, RunFolder, check
from chains.journal import ERROR, INFO, WARNING, Flusher, Journal, Mask
from chains.launch import Ended
from chains.plan import Plan, PlannedStep
from chains.results import collect
from chains.run import Event, Status, StepStatus
from vfs.errors import VfsError
from vfs.world import Blobs, Clock, stamp

INPUT = "/input"
OUTPUT = "/output"

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Terms:
    """How steps run here: what one may use and reach, seconds between SIGTERM and SIGKILL, bytes of a run's
    log.

    `api_root` is the address at which the API answers inside a container (decisions 24b).
    """

    limits: Limits = field(default_factory=Limits)
    network: Network = Network.OUTBOUND
    stop_grace: float = 5.0
    log: int = 10 << 20
    api_root: str | None = None


@dataclass(frozen=True, slots=True)
class Ports:
    """What a run is worked on with: its book, the engine, where files lie and are kept, the clock.

    `secrets(run)` gives the values of the job's config/env, `credential(run)` a new run credential or None;
    it is the book that revokes it. `remarks(run)` are lines for its log about how it came to be.
    """

    book: RunBook
    engine: Engine
    folders: Folders
    blobs: Blobs
    clock: Clock
    secrets: Callable[[Run], Mapping[str, str]]
    credential: Callable[[Run], str | None]
    remarks: Callable[[Run], Iterable[str]] = lambda run: ()


@dataclass(frozen=True, slots=True)
class Staff:
    """Who helps the works of one process: `steps` runs steps to their end, `ahead` prepares containers
    meanwhile.
    """

    flusher: Flusher
    cleaner: Cleaner
    steps: Executor
    ahead: Executor


class Work:
    """One run from its claim to its end.

    `perform` is called once; `cancel` and `interrupt` at any time, from any thread.
    """

    def __init__(self, run: Run, ports: Ports, staff: Staff, terms: Terms) -> None:
        self.run = run
        self._ports = ports
        self._cleaner = staff.cleaner
        self._terms = terms
        self._journal = Journal(ports.book, run.key, ports.clock, terms.log, staff.flusher.dirty)
        self._containers = Containers(ports.engine, staff.steps, staff.ahead, self._started, self._tell)
        self._env: Mapping[str, str] = {}
        self._token: str | None = None
        self._done: dict[str, Checked] = {}
        self._failed = False
        self._interrupted = False

    def perform(self) -> None:
        """Do the work, and record how it ended."""
        try:
            event, result = self._process()
        except Exception:
            _log.exception("the work on run %d broke off", self.run.key)
            self._journal.say("The runner itself failed here; the server's log says more.", ERROR)
            self.cancel()
            event, result = Event.FAIL, None
        if event is Event.TORN_DOWN:
            # Prepared ones too: a run is canceled when nothing of it is left.
            self._containers.remove()
        self._journal.event(event, result)
        self._cleaner.leave(self._tidy)

    def cancel(self) -> None:
        """Tear the run down: what runs gets SIGTERM now, and SIGKILL when the grace is over."""
        self._containers.stop(self._terms.stop_grace)

    def interrupt(self) -> None:
        """The server stops: end the run as one that was interrupted."""
        self._interrupted = True
        self.cancel()

    def _process(self) -> tuple[Event, Result | None]:
        plan = self.run.plan
        for line in (plan.headline(), *plan.lines()) if plan else ():
            self._journal.say(line)
        for line in self._ports.remarks(self.run):
            self._journal.say(line, WARNING)
        if self.run.status is Status.CANCELING:
            return Event.TORN_DOWN, None
        if plan is None:
            return self._refuse(
                "The run has no plan to follow: write config/chains again, and trigger the job anew."
            )
        if reason := refusal(plan):
            return self._refuse(reason)
        try:
            self._env, self._token = self._ports.secrets(self.run), self._ports.credential(self.run)
        except VfsError as error:
            return self._refuse(f"The run's environment cannot be made: {error.detail}")
        self._journal.mask = Mask((*self._env.values(), self._token or ""))
        try:
            folder = self._ports.folders.take(self.run.key, self.run.input)
        except OSError as error:
            return self._refuse(f"The run's folder cannot be made: {error.strerror}.")
        self._follow(plan, folder)
        return self._outcome(plan)

    def _follow(self, plan: Plan, folder: RunFolder) -> None:
        """Run the steps as they become ready, until none runs and none may begin."""
        after: dict[str, list[PlannedStep]] = {step.name: [] for step in plan.steps}
        for step in plan.steps:
            for name in step.predecessors:
                after[name].append(step)
        started: set[str] = set()
        self._begin(plan.roots, folder)
        while (what := self._containers.next()) is not None:
            if isinstance(what, Started):
                started.add(what.step)
                self._prepare(_with(after[what.step], started), folder)
                self._journal.flush()
            elif self._settle(what.step, what.ended, folder):
                self._begin(_with(after[what.step], self._done.keys()), folder)
            if self._journal.orphaned.is_set():
                self.cancel()

    def _begin(self, steps: Iterable[PlannedStep], folder: RunFolder) -> None:
        for step in steps:
            self._containers.begin(step.name, partial(self._spec, step, folder))

    def _prepare(self, steps: Iterable[PlannedStep], folder: RunFolder) -> None:
        for step in steps:
            self._containers.prepare(step.name, partial(self._spec, step, folder))

    def _spec(self, step: PlannedStep, folder: RunFolder) -> StepSpec:
        output = folder.output(step.name)
        env = environment(step, self.run.origin, self.run.id, self._env, self._token, self._terms.api_root)
        return StepSpec(
            run=str(self.run.key),
            step=step.name,
            image=step.source.image_id or "",
            env=env,
            mounts=(*_inputs(step, folder), Mount(output, OUTPUT, writable=True)),
            output=output,
            limits=self._terms.limits,
            network=self._terms.network,
        )

    def _started(self, step: str) -> None:
        self._journal.move(Move(step, StepStatus.RUNNING, stamp(self._ports.clock.now())))

    def _tell(self, step: str, line: Line) -> None:
        severity = INFO if line.stream == "stdout" else WARNING
        self._journal.tell(line.time, severity, f"{step}: {line.text}")

    def _settle(self, name: str, ended: Ended, folder: RunFolder) -> bool:
        """Record how a step ended; True when what follows it may begin."""
        self._cleaner.leave(lambda: self._containers.remove(name))
        now, stopped = stamp(self._ports.clock.now()), ended.exit.cause is Cause.STOPPED
        if self._containers.halted and stopped:
            if ended.seconds is not None:
                self._journal.say(f"{name}: {ended.sentence(self._terms.limits)}")
                self._journal.move(Move(name, StepStatus.CANCELED, now))
            return False
        succeeded = ended.exit.succeeded
        self._journal.say(f"{name}: {ended.sentence(self._terms.limits)}", INFO if succeeded else ERROR)
        if succeeded and self._check(name, folder):
            self._journal.move(Move(name, StepStatus.SUCCESS, now))
            return True
        if ended.seconds is None:
            self._journal.move(Move(name, StepStatus.RUNNING, now))
        self._journal.move(Move(name, StepStatus.FAILED, now))
        self._failed = True
        self.cancel()
        return False

    def _check(self, name: str, folder: RunFolder) -> bool:
        """Look through what a step left; False when it is too much."""
        try:
            self._done[name] = check(folder.output(name), self._terms.limits.output)
        except (VfsError, OSError) as error:
            self._journal.say(f"{name}: {_reason(error)}", ERROR)
            return False
        for rel, reason in self._done[name].dropped:
            self._journal.say(f"{name}: dropped {rel} from /output: {reason}", WARNING)
        return True

    def _outcome(self, plan: Plan) -> tuple[Event, Result | None]:
        if self._failed:
            return Event.FAIL, None
        if len(self._done) == len(plan.steps):
            outputs = {step.name: self._done[step.name] for step in plan.ends}
            try:
                return Event.SUCCEED, collect(outputs, f"{self.run.id}.zip", self._ports.blobs)
            except (VfsError, OSError) as error:
                return self._refuse(f"The result cannot be kept: {_reason(error)}")
        if self._interrupted:
            self._journal.say("The run was interrupted, as the server stops, and cannot be continued.", ERROR)
            return Event.LOSE, None
        self._journal.say("The run was canceled.")
        return Event.TORN_DOWN, None

    def _refuse(self, reason: str) -> tuple[Event, Result | None]:
        self._journal.say(reason, ERROR)
        return Event.FAIL, None

    def _tidy(self) -> None:
        self._containers.remove()
        self._ports.folders.clear(self.run.key, self.run.input)


def refusal(plan: Plan) -> str | None:
    """Why a plan is not executed; None when it is."""
    uses = {
        "a fan-out (.step)": any(step.fan_out for step in plan.steps),
        "a hold (!)": bool(plan.holds),
        "a job as a step": bool(plan.composed),
    }
    if used := [what for what, is_used in uses.items() if is_used]:
        return (
            f"The chain has {' and '.join(used)}, which this release does not execute: change config/chains."
        )
    if missing := [step for step in plan.steps if step.source.image_id is None]:
        named = ", ".join(f"{step.source} (step {step.name})" for step in missing)
        return (
            f"There is no image {named} yet: git push to the repo builds it, and its log tells how that went."
        )
    return None


def _with(steps: Iterable[PlannedStep], names: Collection[str]) -> list[PlannedStep]:
    """Those steps whose predecessors are all among `names`."""
    return [step for step in steps if all(name in names for name in step.predecessors)]


def _inputs(step: PlannedStep, folder: RunFolder) -> list[Mount]:
    """What a step reads: the trigger's input, its one predecessor's output, or each one's in a folder
    (decisions 19).
    """
    if not step.predecessors:
        return [Mount(folder.input, INPUT)]
    if len(step.predecessors) == 1:
        return [Mount(folder.output(step.predecessors[0]), INPUT)]
    return [Mount(folder.output(name), f"{INPUT}/{name}") for name in step.predecessors]


def _reason(error: VfsError | OSError) -> str:
    return error.detail if isinstance(error, VfsError) else f"{error.strerror or error}."
