"""Progress of a run in its plan: the steps that may begin, and the hold to wait at."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from chains.language.ast import Phase
from chains.plan.model import Hold, Plan, PlannedStep


class Progress:
    """The finished steps of a plan, and the passed holds.

    A hold before a step stops that step, a hold after a step stops all its successors. Other steps continue.
    """

    def __init__(
        self, plan: Plan, done: Iterable[str] = (), passed: Collection[tuple[str, Phase]] = ()
    ) -> None:
        self._plan = plan
        self._done = set(done)
        self._open = [hold for hold in plan.holds if (hold.step, hold.phase) not in passed]
        self._kept = {name for hold in self._open if hold.phase is Phase.BEFORE for name in hold.steps}
        self._keeping = {name for hold in self._open if hold.phase is Phase.AFTER for name in hold.steps}
        self._after: dict[str, list[PlannedStep]] = {step.name: [] for step in plan.steps}
        for step in plan.steps:
            for name in step.predecessors:
                self._after[name].append(step)

    @property
    def finished(self) -> bool:
        """Whether all steps are done and no hold is left."""
        return not self._open and len(self._done) == len(self._plan.steps)

    def step(self, name: str) -> PlannedStep:
        """Return the step with a name."""
        return self._plan.step(name)

    def ready(self) -> list[PlannedStep]:
        """Return steps that may begin now."""
        return [step for step in self._plan.steps if step.name not in self._done and self._may(step)]

    def finish(self, name: str) -> list[PlannedStep]:
        """Record that a step is done; return its successors that may begin now."""
        self._done.add(name)
        return [step for step in self._after[name] if self._may(step)]

    def soon(self, name: str, started: Collection[str]) -> list[PlannedStep]:
        """Return the successors of a step that may begin once all started steps are done."""
        return [
            step
            for step in self._after[name]
            if step.name not in self._kept
            and all(before in started and before not in self._keeping for before in step.predecessors)
        ]

    def next_hold(self) -> Hold | None:
        """Return the hold at which the run waits once no step runs any more."""
        return next((hold for hold in self._open if self._is_reached(hold)), None)

    def outputs_after(self, hold: Hold) -> list[str]:
        """Return done steps whose output is read after a hold, except for the files at the hold itself."""
        return self.unread([hold])

    def unread(self, holds: Collection[Hold]) -> list[str]:
        """Return done steps whose output is still read, except where a hold provides the files."""
        returned = {name for hold in holds if hold.phase is Phase.AFTER for name in hold.steps}
        fed = {name for hold in holds if hold.phase is Phase.BEFORE for name in hold.steps}
        return [
            name
            for name in self._after
            if name in self._done and name not in returned and self._read(name, fed)
        ]

    @property
    def done(self) -> list[str]:
        """The finished steps, in the order of the plan."""
        return [step.name for step in self._plan.steps if step.name in self._done]

    @property
    def may_wait(self) -> bool:
        """Whether a hold is left that the run may reach."""
        return bool(self._open)

    def _read(self, name: str, fed: Collection[str]) -> bool:
        """Return whether a step's output is the result, or is read by an unfinished step."""
        after = [step.name for step in self._after[name]]
        return not after or any(step not in self._done and step not in fed for step in after)

    def _may(self, step: PlannedStep) -> bool:
        return step.name not in self._kept and self._has_inputs(step)

    def _has_inputs(self, step: PlannedStep) -> bool:
        return all(name in self._done and name not in self._keeping for name in step.predecessors)

    def _is_reached(self, hold: Hold) -> bool:
        if hold.phase is Phase.AFTER:
            return all(name in self._done for name in hold.steps)
        return all(self._has_inputs(self._plan.step(name)) for name in hold.steps)
