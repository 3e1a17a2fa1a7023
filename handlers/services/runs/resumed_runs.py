"""Runs that go on from a step of an ended run: whose outputs they use, and with which images."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from chains.plan.model import ImageSource, Plan, PlannedStep
from chains.plan.resumption import Resumption, resumable
from chains.runs.records import EarlierRun, Order, Run, StepRow
from chains.runs.states import Status, StepStatus
from handlers.services.references import References
from handlers.services.world import World
from vfs.errors import Conflict, Gone, Invalid

WHOLE = "repeat the whole run (send no body)"


@dataclass(frozen=True, slots=True)
class ResumedRun:
    """The ended run from which a new one goes on, and the way; `latest`: with the newest images."""

    run: Run
    way: Resumption
    latest: bool

    def order(self, references: References, order: Order, plan: Plan) -> Order:
        """Return the order of the new run; `plan` is that of the job as it is now.

        Raises Conflict if that has other steps than the ended run, or if an older image is not allowed.
        """
        if (changed := _difference(self.way.plan, plan)) is not None:
            raise Conflict(f"the chain of the job is not that of this run any more{changed}: {WHOLE}")
        used = self.way.used
        steps = [self._with_image(step, step.name in used) for step in plan.steps]
        for step, now in zip(steps, plan.steps, strict=True):
            # A repeated step gets the present secrets, so the author of its image needs the present rights.
            is_older = step.source != now.source and step.name not in used
            if is_older and not references.may_push(step.source, claimed=order.claim is not None):
                raise Conflict(
                    f"the image of {step.name} is not that of this run any more, and who pushed it then may "
                    'not push to its repo now: send "images": "latest", too'
                )
        holds = [(hold.step, hold.phase) for hold in plan.holds if self.way.passed(hold)]
        return replace(
            order,
            plan=replace(plan, steps=tuple(steps)),
            # Shows that there was an input, even if it is not repeated.
            tally=None if order.input is not None else self.run.tally,
            base=EarlierRun(self.run.key, self.run.id, used, holds),
        )

    def _with_image(self, step: PlannedStep, is_used: bool) -> PlannedStep:
        """Return a step with the image of the ended run, unless it is repeated with the newest one."""
        former, now = self.way.plan.step(step.name).source, step.source
        is_rebuilt = now.commit is not None and now.commit == former.commit
        if former.image_id is None or (not is_used and (self.latest or is_rebuilt)):
            return step
        return replace(step, source=former)


def resume_from(world: World, run: Run, label: str, *, latest: bool) -> ResumedRun:
    """Return the way to go on from a step of a run. Raises Invalid, Conflict, Gone and Unavailable."""
    facts = {"run": run.id, "run_status": str(run.status)}
    if not run.status.ended:
        raise Conflict(f"the run is {run.status}: wait for its end, or cancel it", **facts)
    if run.status is Status.SUCCESS or run.plan is None:
        raise Conflict(f"outputs of steps are kept only for runs that do not succeed: {WHOLE}", **facts)
    rows = _succeeded(world, run)
    way = Resumption(run.plan, label, rows.keys())
    if not way.begin:
        names = ", ".join(step.name for step in run.plan.steps)
        raise Invalid(f'the run has no step "{label[:80]}": its steps are {names}')
    if lacking := way.lacking:
        raise Conflict(
            f"before {label}, the step {lacking[0]} did not succeed: go on from {lacking[0]}", **facts
        )
    for name in way.read:
        if (files := rows[name].files) is None:
            raise Gone(
                f"the output of {name} was not kept: it was larger than the setting kept_outputs, the job's "
                f"owner had no room for it, or an earlier release ran the step; {WHOLE}",
                **facts,
            )
        world.code.outputs.read(files)
    return ResumedRun(run, way, latest)


def resumable_steps(world: World, run: Run) -> list[str]:
    """Return the steps from which a run can go on with kept outputs; none if it has not failed."""
    if run.plan is None or not run.status.ended or run.status is Status.SUCCESS or run.expired:
        return []
    rows = _succeeded(world, run)
    return resumable(run.plan, rows.keys(), [row.name for row in rows.values() if row.files is not None])


def _succeeded(world: World, run: Run) -> Mapping[str, StepRow]:
    rows = world.code.runs.reader.steps(run.key)
    return {row.name: row for row in rows if row.replica is None and row.status is StepStatus.SUCCESS}


def _difference(former: Plan, now: Plan) -> str | None:
    """Return in which step two plans differ, as text to follow a sentence; None if their steps are the same.

    Images, limits of steps and mounted spaces may differ.
    """
    for before, after in zip(former.steps, now.steps, strict=False):
        if _facts(before) != _facts(after):
            return f", in the step {after.name}"
    composed = [[(one.name, one.job_item) for one in plan.composed] for plan in (former, now)]
    same = former.edges == now.edges and former.holds == now.holds and composed[0] == composed[1]
    return None if same and len(former.steps) == len(now.steps) else ""


def _facts(step: PlannedStep) -> tuple[object, ...]:
    source: ImageSource = step.source
    return step.name, step.fan_out, step.predecessors, step.parent, str(source), source.item
