"""Steps of a run in a dictionary, by ordinal and replica (-1 is the step itself), and its child runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from chains.plan.compiler import Plan
from chains.runs.book import Move, Run, StepRow
from chains.runs.children import child_id
from chains.runs.states import MOVES, StepStatus
from vfs.errors import Conflict

Steps = dict[tuple[int, int], StepRow]


def planned(plan: Plan | None) -> Steps:
    """The pending steps of a plan."""
    return {
        (step.ordinal, -1): StepRow(
            step.name, step.ordinal, None, StepStatus.PENDING, None, None, step.fan_out
        )
        for step in (plan.steps if plan else ())
    }


def children(top: Run, plan: Plan, keys: Iterator[int], fresh: Callable[[], str]) -> Iterator[Run]:
    """The child runs below a run, with their numbers and shortnames."""
    known: dict[str | None, int] = {None: top.key}
    for step in plan.composed:
        known[step.name] = key = next(keys)
        yield replace(
            top, key=key, job=step.job_item, id=child_id(top.id, step.name), shortname=fresh(), plan=None,
            input=None, claim=None, spaces=step.spaces, author=step.author, parent=known[step.parent],
            parent_step=step.name, top=top.key,
        )  # fmt: skip


def moved(steps: Steps, run: int, move: Move) -> None:
    """Move one row of a run's steps."""
    itself = next(
        (place for place, step in steps.items() if step.name == move.step and step.replica is None), None
    )
    if itself is not None:
        place = itself if move.replica is None else (itself[0], move.replica)
        step = steps.get(place)
        if step is None and move.status is StepStatus.PENDING:
            steps[place] = replace(steps[itself], replica=move.replica, status=move.status, started_on=None)
            return
        if step is None and move.status is StepStatus.RUNNING:
            step = replace(steps[itself], replica=move.replica, status=StepStatus.PENDING, started_on=None)
        if step is not None and move.status in MOVES[step.status]:
            running = move.status is StepStatus.RUNNING
            started = move.time if running else step.started_on
            completed = move.time if not running and started else None
            steps[place] = replace(step, status=move.status, started_on=started, completed_on=completed)
            return
    raise Conflict(f'The step "{move.step}" of run {run} cannot become {move.status} now.')
