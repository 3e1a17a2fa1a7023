"""Reasons why a run waits, each in one sentence."""

from __future__ import annotations

from chains.plan.model import Plan
from chains.runs.records import Run, StepRow
from chains.runs.states import Status, StepStatus
from handlers.services.runs.run_trigger import OVERLAP
from handlers.services.world import World
from handlers.trees.code.run_rows import run_of
from vfs.context import Context


def why(context: Context[World]) -> str:
    """Return what the run waits for; "" if it does not wait."""
    runs, run = context.world.code.runs, run_of(context)
    whole = run if run.top is None else runs.reader.by_key(run.top)
    if whole is None or whole.status not in (Status.PROCESSING, Status.WAITING):
        return ""
    if whole.status is Status.WAITING:
        hold = next((one for one in runs.reader.holds(whole.key) if one.settled_at is None), None)
        return f"It waits for an answer to the hold {hold.phase} {hold.step}." if hold is not None else ""
    return _for_runner(context.world, whole) if whole.worker is None else _for_slot(context.world, whole)


def _for_runner(world: World, run: Run) -> str:
    """Return why no runner has taken a run."""
    runs = world.code.runs
    earlier = next((one for one in runs.reader.going(run.job) if one.key < run.key), None)
    if run.alone and earlier is not None:
        return f"It waits for the end of the run {earlier.id}, as the job's {OVERLAP} says."
    workers = runs.leases.workers()
    if not workers:
        return "It waits for a runner: none is at work on this server."
    if all(worker.trouble for worker in workers):
        return f"It waits for a runner that can start containers: {workers[0].trouble}"
    if before := runs.reader.ahead(run):
        return f"It waits for its turn: accounts take turns, and {before} of @{run.by} came before it."
    return "It waits for its turn: the runners have no free slot."


def _for_slot(world: World, run: Run) -> str:
    """Return why no step of a run that a runner has taken is running."""
    rows = [row for row in world.code.runs.reader.steps(run.key) if row.replica is None]
    if run.plan is None or any(row.status is StepStatus.RUNNING for row in rows):
        return ""
    if all(row.started_on is None for row in rows) and (image := _image_at_work(world, run.plan)):
        return f"It waits for the image {image}, which is being built."
    ready = next((step.name for step in run.plan.steps if _may_begin(step.name, run.plan, rows)), None)
    return f"The step {ready} waits for its turn: there is no free slot." if ready is not None else ""


def _image_at_work(world: World, plan: Plan) -> str:
    """Return the first image of a plan whose repo is being built, or ""."""
    sources = {step.source.item: step.source for step in plan.steps if step.source.item is not None}
    builds = world.code.builds.latest_of(list(sources))
    return next((str(sources[repo]) for repo, build in builds.items() if not build.status.ended), "")


def _may_begin(name: str, plan: Plan, rows: list[StepRow]) -> bool:
    """Return whether a step has not begun, and every step before it has ended well."""
    status = {row.name: row.status for row in rows}
    before = (status[one] is StepStatus.SUCCESS for one in plan.step(name).predecessors)
    return status[name] is StepStatus.PENDING and all(before)
