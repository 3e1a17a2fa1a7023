"""The work on one run: its steps in the order of the plan, what they hand on, and how it ends."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from chains.engine.port import Engine, Line
from chains.files.results import collect
from chains.files.run_folders import Folders, RunFolder
from chains.plan.compiler import MountedSpace, Plan, PlannedStep
from chains.plan.frontier import Progress
from chains.runner.cleanup import Cleaner
from chains.runner.containers import Containers, Part
from chains.runner.environment import environment
from chains.runner.fair_slots import Fair
from chains.runner.journal import Flusher, Journal, Mask
from chains.runner.parks import Parks
from chains.runner.policy import Terms
from chains.runner.postmortem import Postmortem
from chains.runner.segment import Stretch, reason
from chains.runner.space_copies import Mounts
from chains.runs.book import Result, Run, RunBook
from chains.runs.holds import Held
from chains.runs.records import ERROR, WARNING
from chains.runs.retry import patiently
from chains.runs.rights import Permission, Rights
from chains.runs.states import CANCELED, Event, Status, StepStatus
from chains.spaces.holds import Parking
from chains.spaces.mounts import Mounting
from vfs.errors import VfsError
from vfs.ports.world import Blobs, Clock

_log = logging.getLogger(__name__)


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
    parking: Parking
    mounting: Mounting
    rights: Rights
    remarks: Callable[[Run], Iterable[str]] = lambda run: ()


@dataclass(frozen=True, slots=True)
class Staff:
    """Who helps the works of one process:
    `steps` runs steps to their end, `ahead` prepares containers meanwhile.
    """

    flusher: Flusher
    cleaner: Cleaner
    steps: Fair
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
        self._containers = Containers(
            ports.engine,
            staff.steps.of(run.key),
            staff.ahead,
            self._ask,
            self._started,
            self._tell,
        )
        self._jobs: dict[str | None, tuple[Run, Mapping[str, str]]] = {}
        self._token: str | None = None
        self._interrupted = False
        self._stretch: Stretch

    def perform(self) -> Status | None:
        """Do the work, and record how it ended:
        the status then, None when somebody else had ended the run.
        """
        try:
            event, result = self._process()
        except Exception:
            _log.exception("the work on run %d broke off", self.run.key)
            self._journal.say("The runner itself failed here; the server's log says more.", ERROR)
            self.cancel()
            event, result = Event.FAIL, None
        if event is Event.HOLD:
            if self._park() is Status.WAITING:
                self._cleaner.leave(self._containers.remove)
                return Status.WAITING
            # A cancel that came before has won, or the files cannot be kept.
            event = Event.FAIL
        if event is Event.TORN_DOWN:
            # Prepared ones too: a run is canceled when nothing of it is left.
            self._containers.remove()
        status = self._journal.event(event, result)
        self._cleaner.leave(self._tidy)
        return status

    def cancel(self) -> None:
        """Tear the run down: what runs gets SIGTERM now, and SIGKILL when the grace is over."""
        self._containers.stop(self._terms.stop_grace)

    def interrupt(self) -> None:
        """The server stops: end the run as one that was interrupted."""
        self._interrupted = True
        self.cancel()

    def _park(self) -> Status | None:
        """Let the run wait at its hold; None when that is not possible."""
        hold, ports = self._stretch.progress.reached(), self._ports
        assert hold is not None
        try:
            files = list(self._stretch.parked(hold))
            self._stretch.settle(hold)
            park = partial(ports.parking.park, self.run, hold, files)
            return patiently(Parks(ports.book, self._journal, hold, park))
        except (VfsError, OSError) as error:
            self._journal.say(f"The run cannot wait {hold.phase} {hold.step}: {reason(error)}", ERROR)
            return None

    def _process(self) -> tuple[Event, Result | None]:
        plan, held = self.run.plan, patiently(lambda: self._ports.book.holds(self.run.key))
        if not held:
            self._introduce()
        if self.run.status is Status.CANCELING:
            return self._torn_down()
        if plan is None:
            return self._refuse(
                "The run has no plan to follow: write config/chains again, and trigger the job anew."
            )
        if missing := refusal(plan):
            return self._refuse(missing)
        try:
            done = self._done() if held else []
            permission = self._permitted(plan, done)
        except VfsError as error:
            return self._refuse(error.detail)
        if trouble := self._equip():
            return self._refuse(f"The run's environment cannot be made: {trouble}")
        try:
            folder = self._ports.folders.take(self.run.key, self.run.input)
        except OSError as error:
            return self._refuse(f"The run's folder cannot be made: {error.strerror}.")
        try:
            self._stretch = self._stretched(plan, folder, held, done, permission)
        except (VfsError, OSError) as error:
            return self._refuse(f"The run cannot be continued: {reason(error)}")
        self._stretch.follow(self._containers)
        return self._outcome(plan)

    def _introduce(self) -> None:
        """Say what the run does, and what is to be said of how it came to be."""
        plan = self.run.plan
        for line in (plan.headline(), *plan.lines()) if plan else ():
            self._journal.say(line)
        for line in patiently(lambda: list(self._ports.remarks(self.run))):
            self._journal.say(line, WARNING)

    def _equip(self) -> str | None:
        """Fetch what the steps are given; why that cannot be."""
        try:
            self._jobs = patiently(self._looked_up)
            self._token = patiently(lambda: self._ports.credential(self.run))
        except VfsError as error:
            return error.detail
        secrets = (value for _, env in self._jobs.values() for value in env.values())
        self._journal.mask = Mask((*secrets, self._token or ""))
        return None

    def _done(self) -> list[str]:
        """The steps that earlier stretches did."""
        steps = patiently(lambda: self._ports.book.steps(self.run.key))
        return [row.name for row in steps if row.replica is None and row.status is StepStatus.SUCCESS]

    def _permitted(self, plan: Plan, done: Collection[str]) -> Permission:
        """The rights of the run, once those of all that is left to do were asked for; by then it may have
        waited for long. Raises VfsError.
        """
        run = self.run
        spaces = patiently(lambda: self._mounted(plan))
        permission = Permission(self._ports.rights, plan, run.origin_owner, run.author, spaces)
        permission.ask(step for step in plan.steps if step.name not in done)
        return permission

    def _stretched(
        self, plan: Plan, folder: RunFolder, held: Iterable[Held], done: Sequence[str], permission: Permission
    ) -> Stretch:
        continued = {(one.step, one.phase): one for one in held}
        stretch = Stretch(
            run=self.run.key,
            progress=Progress(plan, done, continued),
            folder=folder,
            journal=self._journal,
            cleaner=self._cleaner,
            terms=self._terms,
            clock=self._ports.clock,
            variables=self._variables,
            postmortem=Postmortem(self._ports.engine.command),
            mounts=Mounts(self._ports.mounting, permission, folder),
        )
        stretch.resume(done)
        for hold in plan.holds:
            if one := continued.get((hold.step, hold.phase)):
                stretch.passed(hold, partial(self._fetch, one))
        return stretch

    def _fetch(self, held: Held, target: Path) -> None:
        patiently(lambda: self._ports.parking.fetch(held, target))

    def _ask(self, part: Part) -> None:
        self._stretch.ask(part)

    def _started(self, part: Part) -> None:
        self._stretch.started(part)

    def _tell(self, part: Part, line: Line) -> None:
        self._stretch.tell(part, line)

    def _runs(self) -> dict[str | None, Run]:
        """The run and its child runs, by the composed step that each is."""
        nested = self.run.plan is not None and self.run.plan.composed
        runs = [self.run, *(self._ports.book.children(self.run.key) if nested else ())]
        return {run.parent_step: run for run in runs}

    def _looked_up(self) -> dict[str | None, tuple[Run, Mapping[str, str]]]:
        """The run that steps belong to, with its job's variables, by the composed step they stand in."""
        return {parent: (run, self._ports.secrets(run)) for parent, run in self._runs().items()}

    def _mounted(self, plan: Plan) -> Mapping[str | None, Sequence[MountedSpace]]:
        """What the jobs mount that steps belong to, by the composed step they stand in."""
        mounts = {None: plan.mounts} | {composed.name: composed.mounts for composed in plan.composed}
        if None in mounts.values():
            return {parent: self._ports.mounting.spaces(run) for parent, run in self._runs().items()}
        return {parent: seen or () for parent, seen in mounts.items()}

    def _variables(self, step: PlannedStep) -> Mapping[str, str]:
        run, env = self._jobs[step.parent]
        return environment(step, run.origin, run.id, env, self._token, self._terms.api_root)

    def _outcome(self, plan: Plan) -> tuple[Event, Result | None]:
        if self._stretch.failed:
            return Event.FAIL, None
        if self._stretch.progress.finished:
            outputs = {step.name: self._stretch.outputs[step.name] for step in plan.ends}
            try:
                return Event.SUCCEED, collect(outputs, f"{self.run.id}.zip", self._ports.blobs)
            except (VfsError, OSError) as error:
                return self._refuse(f"The result cannot be kept: {reason(error)}")
        if self._interrupted:
            self._journal.say("The run was interrupted, as the server stops, and cannot be continued.", ERROR)
            return Event.LOSE, None
        if not self._containers.halted and self._stretch.progress.reached() is not None:
            return Event.HOLD, None
        return self._torn_down()

    def _torn_down(self) -> tuple[Event, Result | None]:
        self._journal.say(CANCELED)
        return Event.TORN_DOWN, None

    def _refuse(self, reason: str) -> tuple[Event, Result | None]:
        self._journal.say(reason, ERROR)
        return Event.FAIL, None

    def _tidy(self) -> None:
        self._containers.remove()
        self._ports.folders.clear(self.run.key, self.run.input)


def refusal(plan: Plan) -> str | None:
    """Why a plan is not executed; None when it is."""
    if missing := [step for step in plan.steps if step.source.image_id is None]:
        named = ", ".join(f"{step.source} (step {step.name})" for step in missing)
        return (
            f"There is no image {named} yet: git push to the repo builds it, and its log tells how that went."
        )
    return None
