"""The steps of a plan that a run repeats, and those whose outputs it uses, if it resumes at a step."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from chains.plan.frontier import Progress
from chains.plan.model import Hold, Plan


@dataclass(frozen=True, slots=True)
class Resumption:
    """A resumption of an ended run at the step `label`; `done` are its steps that succeeded.

    The step and all steps after it are repeated, and so is each other step that did not succeed. The outputs
    of the rest are used. If `label` is a job in the chain, all of its steps are repeated.
    """

    plan: Plan
    label: str
    done: Collection[str]

    @property
    def begin(self) -> Sequence[str]:
        """The steps with the label; empty if there is none."""
        inside = f"{self.label}__"
        return [one.name for one in self.plan.steps if one.name == self.label or one.name.startswith(inside)]

    @property
    def used(self) -> Sequence[str]:
        """The steps that are not repeated."""
        again = set(self.begin)
        for step in self.plan.steps:
            if again.intersection(step.predecessors):
                again.add(step.name)
        return [one.name for one in self.plan.steps if one.name in self.done and one.name not in again]

    @property
    def read(self) -> Sequence[str]:
        """The steps that are not repeated, but whose outputs a repeated step or the result needs."""
        return Progress(self.plan, self.used).unread(())

    @property
    def lacking(self) -> Sequence[str]:
        """The steps directly before the label that did not succeed."""
        begin = set(self.begin)
        before = [name for step in self.plan.steps if step.name in begin for name in step.predecessors]
        return [name for name in dict.fromkeys(before) if name not in self.done and name not in begin]

    @property
    def needs_input(self) -> bool:
        """Whether a repeated step reads the input of the run."""
        used = set(self.used)
        return any(not step.predecessors and step.name not in used for step in self.plan.steps)

    def passed(self, hold: Hold) -> bool:
        """Return whether a hold is at steps that are not repeated, so that its answer remains valid."""
        return set(self.used).issuperset(hold.steps)


def resumable(plan: Plan, done: Collection[str], kept: Collection[str]) -> list[str]:
    """Return the steps at which a run can resume with outputs of earlier steps; `kept` have theirs."""
    ways = (Resumption(plan, step.name, done) for step in plan.steps)
    return [way.label for way in ways if not way.lacking and way.used and set(kept).issuperset(way.read)]
