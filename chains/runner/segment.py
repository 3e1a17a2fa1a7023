"""Executes the steps of a run until it ends or reaches a hold."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Set
from functools import partial

from chains.engine.port import Cause, Mount, StepSpec
from chains.plan.frontier import Progress
from chains.plan.model import PlannedStep
from chains.runner.containers import PartDue, PartStarted, RunContainers
from chains.runner.environment import Environments
from chains.runner.journal import Journal
from chains.runner.launch import AGAIN, Attempts, LaunchEnd, Part
from chains.runner.ports import Ports, RunStaff, StepPolicy
from chains.runner.space_copies import SpaceCopies
from chains.runner.step_files import OUTPUT, StepFiles
from chains.runner.step_records import Failure, Postmortem, StepRecords
from chains.runs.records import WARNING
from chains.runs.states import StepStatus
from vfs.errors import Denied, Unavailable, VfsError, storage_error

# Making a container takes longer than a short step, and less than a long one. More would be idle.
AHEAD = 2


class Segment:
    """Takes steps from `progress` and runs them in containers, until none runs and none may begin.

    `follow` is called once; `stop` and `remove` at any time, from any thread.
    """

    def __init__(
        self,
        progress: Progress,
        files: StepFiles,
        copies: SpaceCopies,
        environments: Environments,
        journal: Journal,
        ports: Ports,
        staff: RunStaff,
        policy: StepPolicy,
    ) -> None:
        self.progress = progress
        self.files = files
        self._copies = copies
        self._environments = environments
        self._journal = journal
        self._cleaner = staff.cleaner
        self._policy = policy
        self._ended: list[Part] = []
        self._failure: Failure | None = None
        self._records = StepRecords(journal, ports.clock, Postmortem(ports.engine.command))
        self._containers = RunContainers(ports.engine, staff, self._records)
        self._attempts = Attempts()

    @property
    def failed(self) -> bool:
        """Whether a part failed."""
        return self._failure is not None

    @property
    def halted(self) -> bool:
        """Whether the segment was stopped."""
        return self._containers.halted

    def follow(self, keep: Callable[[], object]) -> None:
        """Run the steps as they become ready, until none runs and none may begin.

        After a failure `keep` is called, and the reason is logged last, after the ends of the steps that the
        failure stops.
        """
        try:
            self._follow()
        finally:
            if self._failure is not None:
                try:
                    keep()
                finally:
                    self._records.give_reason(self._failure)

    def _follow(self) -> None:
        started: set[str] = set()
        self._begin(self.progress.ready())
        while (event := self._containers.next()) is not None:
            name = event.part.step
            self._clean_up()
            if isinstance(event, PartStarted):
                if name not in started:
                    started.add(name)
                    self._prepare(name, started)
                self._journal.flush()
            elif isinstance(event, PartDue):
                self._begin_again(event.part)
            elif self._finish(event.part, event.end):
                self._begin(self.progress.finish(name))
            if self._journal.orphaned.is_set():
                self.stop()
        self._clean_up()

    def stop(self) -> None:
        """Stop all running steps and let no more begin: SIGTERM now, SIGKILL after the grace period."""
        self._containers.stop(self._policy.stop_grace)

    def remove(self) -> None:
        """Remove all containers, including those that were only prepared."""
        self._containers.remove()

    def _clean_up(self) -> None:
        """Hand the containers of parts that ended before to the cleaner.

        This happens one event later: Podman starts the next step faster while it removes no container.
        """
        while self._ended:
            self._cleaner.leave(partial(self._containers.remove, self._ended.pop()))

    def _begin(self, steps: Iterable[PlannedStep]) -> None:
        waiting = deque(steps)
        while waiting:
            step = waiting.popleft()
            if not step.fan_out:
                self._start(step, (None,))
            elif self._fan_out(step):
                waiting += self.progress.finish(step.name)

    def _prepare(self, name: str, begun: Set[str], far: int = AHEAD) -> None:
        """Make the containers of the steps after `name`, up to `far` steps ahead."""
        for step in self.progress.soon(name, begun):
            # A copy of a space is made when the step begins, since earlier steps may change the space.
            if not step.fan_out and not self._copies.spaces(step):
                self._containers.prepare(Part(step.name), partial(self._spec, step))
                if far > 1:
                    self._prepare(step.name, begun | {step.name}, far - 1)

    def _fan_out(self, step: PlannedStep) -> bool:
        """Begin a replica for each file. Return True if there is none, so that the step is done."""
        try:
            replicas = self.files.fan_out(step)
        except (VfsError, OSError) as error:
            self._fail(Part(step.name), reason(error))
            return False
        if not replicas:
            return self._pass_over(step)
        for replica in replicas:
            self._records.move(Part(step.name, replica), StepStatus.PENDING)
        self._start(step, replicas)
        return False

    def _pass_over(self, step: PlannedStep) -> bool:
        """Finish a step that has no file to fan out over."""
        self._journal.say(f"{step.name}: there is no file to fan out over.")
        self._records.move(Part(step.name), StepStatus.RUNNING)
        try:
            kept = self.files.keep(step.name)
        except (VfsError, OSError) as error:
            self._fail(Part(step.name), reason(error))
            return False
        self._records.move(Part(step.name), StepStatus.SUCCESS, *kept)
        return True

    def _start(self, step: PlannedStep, replicas: Iterable[int | None]) -> None:
        for replica in replicas:
            part = Part(step.name, replica)
            try:
                self._copies.export(step, part)
            except (VfsError, OSError) as error:
                self._fail(part, reason(error), isinstance(error, Denied))
                return
            ready = partial(self._require, step, replica)
            self._containers.begin(part, partial(self._spec, step, replica), ready)

    def _retry(self, part: Part, step: PlannedStep, end: LaunchEnd) -> bool:
        """Let a part that failed be tried again, if its step is configured so. Return whether it is."""
        if self.halted or end.exit.succeeded:
            return False
        if (seconds := self._attempts.wait(part, step, end.exit)) is None:
            return False
        sentence = end.sentence(self._policy.limits_of(step.config)).rstrip(".")
        when = f"in {seconds:g} s" if seconds else "at once"
        self._journal.say(f"{part}: {sentence}; it is tried again {when}", WARNING)
        self._cleaner.leave(self._containers.begin_again(part, seconds).remove)
        return True

    def _begin_again(self, part: Part) -> None:
        """Begin another attempt at a part, with nothing of the one before."""
        step, number = self.progress.step(part.step), self._attempts.number(part)
        try:
            self.files.empty_output(part)
            self._copies.forget(step, part)
        except OSError as error:
            self._fail(part, reason(error))
            return
        self._journal.say(f"{part}: attempt {number} of {step.config.attempts} begins")
        self._records.try_again(part, number)
        self._start(step, (part.replica,))

    def _require(self, step: PlannedStep, replica: int | None) -> None:
        """Check that a part may begin and that its input files are there. This is the last check.

        Raises Denied, Gone and Unavailable.
        """
        self._copies.permission.ask([step])
        try:
            self.files.require(step, replica)
        except OSError as error:
            raise storage_error(error, "what the step reads") from error

    def _spec(self, step: PlannedStep, replica: int | None = None) -> StepSpec:
        part = Part(step.name, replica)
        output, env = self.files.output(part), self._environments.of(step)
        return StepSpec(
            run=str(self._journal.run),
            step=step.name,
            image=step.source.image_id or "",
            env=env,
            mounts=(
                *self.files.mounts(step, replica),
                *self._copies.mounts(step, part),
                Mount(output, OUTPUT, writable=True),
            ),
            output=output,
            limits=self._policy.limits_of(step.config),
            network=self._policy.reach(env),
            replica=replica,
            public=self._environments.public(step),
            source=str(step.source),
            account=self._environments.account(step),
        )

    def _finish(self, part: Part, end: LaunchEnd) -> bool:
        """Record the end of a part. Return whether its step is done now."""
        step = self.progress.step(part.step)
        if self._retry(part, step, end):
            return False
        self._ended.append(part)
        sentence = end.sentence(self._policy.limits_of(step.config))
        if attempt := self._attempts.of(part, step):
            sentence = sentence.rstrip(".") + attempt
        if self.halted and end.exit.cause is Cause.STOPPED:
            if end.seconds is not None:
                self._journal.say(f"{part}: {sentence}")
                self._records.move(part, StepStatus.CANCELED)
            return False
        if not end.exit.succeeded:
            self._fail(part, sentence, end.exit.cause is Cause.REFUSED)
            return False
        self._journal.say(f"{part}: {sentence}")
        try:
            if not self._keep_output(part):
                return False
            kept = self.files.keep(part.step)
        except (VfsError, OSError) as error:
            self._fail(part, reason(error), isinstance(error, Denied))
            return False
        self._records.move(Part(part.step), StepStatus.SUCCESS, *kept)
        return True

    def _keep_output(self, part: Part) -> bool:
        """Read the output of a part. Return whether its step is done. Raises VfsError and OSError."""
        output = self.files.read_output(part, self._policy.limits.output)
        self._records.drop(part, output.dropped)
        for shown, dropped in self._copies.write_back(self.progress.step(part.step), part):
            self._records.drop(part, dropped, shown)
        if part.replica is not None:
            self._records.move(part, StepStatus.SUCCESS)
        return self.files.add(part, output)

    def _fail(self, part: Part, why: str, refused: bool = False) -> None:
        """Record that a part failed. The first failure is the run's failure and stops the other parts."""
        step = self.progress.step(part.step)
        if not refused and not self._records.has_failed(part.step):
            self._records.explain(part, step, self._spec(step, part.replica))
        failure = Failure(part, why, self.files.name_of(part))
        self._records.fail(failure)
        if self._failure is None:
            self._failure = failure
        else:
            self._records.mention(failure)
        self.stop()


def reason(error: VfsError | OSError) -> str:
    """Return a sentence for the log about an error, with advice if a part of the service was unavailable."""
    if isinstance(error, Unavailable):
        return f"{error.detail.rstrip('.')}; {AGAIN}"
    return error.detail if isinstance(error, VfsError) else f"{error.strerror or error}."
