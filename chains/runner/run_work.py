"""The work on one run: execute its steps in the order of the plan and record how it ends."""

from __future__ import annotations

import logging
import threading
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path

from chains.files.results import collect, named_files
from chains.files.run_folder import RunFolder
from chains.files.run_folders import Checked
from chains.plan.frontier import Progress
from chains.plan.model import MountedSpace, Plan
from chains.runner.environment import Environments
from chains.runner.holds import HoldTurn
from chains.runner.journal import Journal
from chains.runner.policy import StepPolicy
from chains.runner.ports import Ports, Staff
from chains.runner.segment import Segment, reason
from chains.runner.space_copies import SpaceCopies
from chains.runner.step_files import StepFiles
from chains.runs.records import ERROR, WARNING, Move, Result, Run, RunHold, StepRow
from chains.runs.retry import Patience
from chains.runs.rights import Permission
from chains.runs.states import CANCELED, Event, Status, StepStatus
from vfs.errors import Unavailable, VfsError
from vfs.ports.clock import stamp

STOPS = "as the server stops"
CUT_OFF = "as its runner was cut off from the database for longer than its lease"

_log = logging.getLogger(__name__)


class Work:
    """The work on one run, from its start to its end.

    `perform` is called once; `cancel` and `interrupt` at any time, from any thread.
    """

    def __init__(self, run: Run, ports: Ports, staff: Staff, policy: StepPolicy) -> None:
        self.run, self._ports = run, ports
        self._staff, self._policy = staff, policy
        self._journal = Journal(ports.runs, run.key, ports.clock, policy.log, staff.flusher)
        self._patiently = Patience(staff.flusher.over)
        self._lock = threading.Lock()
        self._segment: Segment | None = None
        self._over = threading.Event()
        self._canceled = False
        self._interrupted: str | None = None

    def perform(self) -> Status | None:
        """Do the work and record its end. Return the new status, or None if another process ended the run."""
        try:
            event, result = self._process()
        except Exception:
            _log.exception("the work on run %d failed unexpectedly", self.run.key)
            self._journal.say("The runner itself failed here; the server's log says more.", ERROR)
            self.cancel()
            event, result = Event.FAIL, None
        if event is Event.HOLD:
            if self._wait_at_hold() is Status.WAITING:
                self._staff.cleaner.leave(self._remove_containers)
                return Status.WAITING
            # An earlier cancel has won, or the files cannot be kept.
            event = Event.FAIL
        if event is Event.TORN_DOWN:
            # Prepared containers too: a run is canceled when none of its containers is left.
            self._remove_containers()
        status = self._journal.event(event, result)
        self._staff.cleaner.leave(self._tidy)
        return status

    def cancel(self) -> None:
        """Tear the run down. No more of its steps begin."""
        with self._lock:
            self._canceled = True
            segment = self._segment
        self._over.set()
        if segment is not None:
            segment.stop()

    def interrupt(self, why: str = STOPS) -> None:
        """End the run as interrupted, for example because the server stops."""
        self._interrupted = self._interrupted or why
        self.cancel()

    def _keep_outputs(self, segment: Segment) -> None:
        """Store what the finished steps left, so that another run can go on from a later step.

        The outputs of the last steps come first, while there is room.
        """
        if self._ports.outputs is None or self._interrupted == CUT_OFF:
            return
        try:
            room = self._patiently(lambda: self._ports.kept_room(self.run))
        except VfsError as error:
            self._journal.say(f"No output is kept for another run to go on with: {reason(error)}", WARNING)
            return
        now = stamp(self._ports.clock.now())
        for name in reversed([*segment.progress.done]):
            try:
                kept, size = segment.files.store(name, room)
            except (VfsError, OSError) as error:
                lost = f"its output is not kept for another run to go on with: {reason(error)}"
                self._journal.say(f"{name}: {lost}", WARNING)
                if isinstance(error, Unavailable):
                    return
                continue
            room -= size
            self._journal.move(
                Move(name, StepStatus.SUCCESS, now, tally=kept.tally, files=kept.files, kept=size)
            )

    def _wait_at_hold(self) -> Status | None:
        """Let the run wait at its hold. Return None if that is not possible."""
        assert self._segment is not None
        ports, files, hold = self._ports, self._segment.files, self._segment.progress.next_hold()
        assert hold is not None
        try:
            files.require_at(hold)
            shown = files.at_hold(hold)
            files.outlast(hold)
            keep = partial(ports.hold_files.keep, self.run, hold, shown)
            return self._patiently(HoldTurn(ports.runs.reader, self._journal, hold, keep))
        except (VfsError, OSError) as error:
            self._keep_outputs(self._segment)
            self._journal.say(f"The run cannot wait {hold.phase} {hold.step}: {reason(error)}", ERROR)
            return None

    def _process(self) -> tuple[Event, Result | None]:
        plan, holds = self.run.plan, self._patiently(lambda: self._ports.runs.reader.holds(self.run.key))
        done = self._find_done()
        # Holds without a space were answered in the run from which this one goes on.
        own = [hold for hold in holds if hold.space is not None]
        if not own:
            self._introduce(done)
        if self.run.status is Status.CANCELING:
            return self._torn_down()
        if plan is None:
            return self._refuse(
                "The run has no plan to follow: write config/chains again, then trigger the job again."
            )
        if missing := refusal(plan):
            return self._refuse(missing)
        try:
            if (plan := self._with_images(plan)) is None:
                return self._broken_off()
            permission = self._permission(plan, done if own else ())
            environments = self._environments()
        except VfsError as error:
            return self._refuse(error.detail)
        self._journal.hide(environments.secrets())
        try:
            folder = self._take()
        except (VfsError, OSError) as error:
            made = "" if isinstance(error, VfsError) else "The run's folder cannot be made: "
            return self._refuse(f"{made}{reason(error)}")
        copies = SpaceCopies(self.run.key, self._ports.mounting, permission, folder, self._patiently)
        try:
            progress = Progress(plan, done, {(one.step, one.phase) for one in holds})
            files = self._files(plan, folder, progress, done, own)
        except (VfsError, OSError) as error:
            return self._refuse(f"The run cannot be continued: {reason(error)}")
        staff = self._staff.of(self.run)
        segment = Segment(
            progress, files, copies, environments, self._journal, self._ports, staff, self._policy
        )
        self._follow(segment)
        return self._outcome(plan, segment)

    def _with_images(self, plan: Plan) -> Plan | None:
        """Return the plan with available images, or None if the run ends before. Raises VfsError."""
        lost, say = self._ports.lost, partial(self._journal.say, severity=WARNING)
        return plan if lost is None else self._patiently(lambda: lost.replace_lost(plan, say, self._over))

    def _take(self) -> RunFolder:
        run, folders = self.run, self._ports.folders
        return self._patiently(lambda: folders.take(run.key, run.input, run.tally, run.files))

    def _introduce(self, done: Mapping[str, StepRow]) -> None:
        """Log the plan of the run, the outputs of another run that it uses, and remarks about its origin."""
        plan = self.run.plan
        for line in (plan.headline(), *plan.lines()) if plan else ():
            self._journal.say(line)
        for row in done.values():
            self._journal.say(f"{row.name}: not repeated; its output is that of the run {row.output_of}")
        for line in self._patiently(lambda: list(self._ports.remarks(self.run))):
            self._journal.say(line, WARNING)

    def _environments(self) -> Environments:
        """Fetch the environments of the steps. Raises VfsError."""
        ports, run = self._ports, self.run
        return Environments.fetch(
            self._runs, ports.secrets, lambda: ports.credential(run), self._policy.api_root, self._patiently
        )

    def _find_done(self) -> dict[str, StepRow]:
        """Return the steps that earlier segments, or another run, finished, by name."""
        steps = self._patiently(lambda: self._ports.runs.reader.steps(self.run.key))
        return {row.name: row for row in steps if row.replica is None and row.status is StepStatus.SUCCESS}

    def _permission(self, plan: Plan, done: Collection[str]) -> Permission:
        """Check and return the rights of the run for all steps that are left: it may have waited for long.

        Raises VfsError.
        """
        run, patiently = self.run, self._patiently
        spaces = patiently(lambda: self._spaces(plan))
        permission = Permission(self._ports.rights, plan, run.origin_owner, run.author, spaces, patiently)
        permission.ask(step for step in plan.steps if step.name not in done)
        return permission

    def _files(
        self,
        plan: Plan,
        folder: RunFolder,
        progress: Progress,
        done: Mapping[str, StepRow],
        holds: Iterable[RunHold],
    ) -> StepFiles:
        """Return the files of finished steps and of the holds after which the run was continued."""
        shared, stored = self._ports.run_files, self._ports.outputs
        files = StepFiles(folder, progress, self._patiently, shared, stored, self.run.job)
        by_place = {(one.step, one.phase): one for one in holds}
        continued = [hold for hold in plan.holds if (hold.step, hold.phase) in by_place]
        files.resume(done, continued)
        for hold in continued:
            files.continue_from(hold, partial(self._fetch, by_place[hold.step, hold.phase]))
        return files

    def _fetch(self, hold: RunHold, target: Path) -> None:
        self._patiently(lambda: self._ports.hold_files.fetch(hold, target))

    def _runs(self) -> dict[str | None, Run]:
        """Return the run and its child runs, by the composed step that each belongs to."""
        nested = self.run.plan is not None and self.run.plan.composed
        runs = [self.run, *(self._ports.runs.reader.children(self.run.key) if nested else ())]
        return {run.parent_step: run for run in runs}

    def _spaces(self, plan: Plan) -> Mapping[str | None, Sequence[MountedSpace]]:
        """Return the spaces that the jobs mount, by the composed step that each job belongs to."""
        mounts = {None: plan.mounts} | {composed.name: composed.mounts for composed in plan.composed}
        if None in mounts.values():
            return {parent: self._ports.mounting.spaces(run) for parent, run in self._runs().items()}
        return {parent: seen or () for parent, seen in mounts.items()}

    def _follow(self, segment: Segment) -> None:
        """Run the segment to its end. An earlier cancel stops it at once."""
        with self._lock:
            self._segment = segment
            canceled = self._canceled
        if canceled:
            segment.stop()
        segment.follow(partial(self._keep_outputs, segment))

    def _outcome(self, plan: Plan, segment: Segment) -> tuple[Event, Result | None]:
        if segment.failed:
            return Event.FAIL, None
        if segment.progress.finished:
            outputs = {step.name: segment.files.outputs[step.name] for step in plan.ends}
            try:
                segment.files.require_outputs(outputs)
                result = self._patiently(lambda: self._collect(outputs))
            except (VfsError, OSError) as error:
                self._keep_outputs(segment)
                return self._refuse(f"The result cannot be kept: {reason(error)}")
            self._place_results(outputs)
            return Event.SUCCEED, result
        if not self._interrupted and not segment.halted and segment.progress.next_hold() is not None:
            return Event.HOLD, None
        self._keep_outputs(segment)
        return self._broken_off()

    def _broken_off(self) -> tuple[Event, Result | None]:
        """Return the end of a run that was canceled or interrupted."""
        if why := self._interrupted:
            self._journal.say(f"The run was interrupted, {why}, and cannot be continued.", ERROR)
            return Event.LOSE, None
        return self._torn_down()

    def _collect(self, outputs: Mapping[str, Checked]) -> Result | None:
        room = self._ports.room(self.run)
        return collect(outputs, f"{self.run.id}.zip", self._ports.blobs, self.run.job, room)

    def _place_results(self, outputs: Mapping[str, Checked]) -> None:
        """Write outputs to the paths that the job names. If that fails, the run has still succeeded."""
        places, files = self._ports.places, dict(named_files(outputs))
        self._journal.flush()
        try:
            self._patiently(lambda: places.write(self.run, files, self._journal.note))
            return
        except (VfsError, OSError) as error:
            why = reason(error)
        except Exception:
            _log.exception("the results of run %d could not be written", self.run.key)
            why = "the server itself failed here; its log says more."
        self._journal.say(f"No result was written by config/results: {why}", WARNING)
        try:
            places.notify(self.run)
        except VfsError as error:
            _log.warning("nobody was notified that run %d wrote no results: %s", self.run.key, error.detail)

    def _torn_down(self) -> tuple[Event, Result | None]:
        self._journal.say(CANCELED)
        return Event.TORN_DOWN, None

    def _refuse(self, reason: str) -> tuple[Event, Result | None]:
        self._journal.say(reason, ERROR)
        return Event.FAIL, None

    def _remove_containers(self) -> None:
        if self._segment is not None:
            self._segment.remove()

    def _tidy(self) -> None:
        self._remove_containers()
        self._ports.folders.clear(self.run.key, self.run.input)


def refusal(plan: Plan) -> str | None:
    """Return the reason why a plan cannot be executed, or None if it can."""
    missing = [step for step in plan.steps if step.source.image_id is None]
    without_repo = [step for step in missing if step.source.item is None]
    named = ", ".join(f"{step.source} (step {step.name})" for step in without_repo or missing)
    if without_repo:
        return f"There is no repo for {named}: make it first, then git push to it builds the image."
    if lacking := "; ".join(
        f"{step.source} (step {step.name}): {lack}" for step in missing if (lack := step.source.lack)
    ):
        return f"There is no image {lacking}."
    if missing:
        return (
            f"There is no image {named} yet: git push to the repo builds it, and its log shows how that went."
        )
    return None
