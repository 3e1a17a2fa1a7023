"""Overlaps: what a new run of a job does while earlier ones have not ended (config/overlap)."""

from __future__ import annotations

from collections.abc import Iterable

from chains.runs.records import INFO, Order, Run
from chains.runs.states import CANCELED, Event, Overlap, Status
from handlers.services.run_notices import withdraw_waiting
from handlers.services.world import World
from vfs.errors import Conflict
from vfs.ports.clock import stamp
from vfs.ports.items import Item

OVERLAP = "config/overlap"
SCHEDULE = "schedule"
SKIPPED = "skipped a run"
"""Words in the `activity` of a job for a planned time that got no run; the path is that of the run before."""


class Overlapping(Conflict):
    """Raised if a run is skipped, as an earlier one of its job has not ended."""

    def __init__(self, earlier: Run, overlap: Overlap) -> None:
        super().__init__(
            f"the run {earlier.id} of the job has not ended, and {OVERLAP} is {overlap}: wait for its end, "
            f"or set {OVERLAP} to allow, queue or cancel",
            run=earlier.id,
            run_status=str(earlier.status),
        )
        self.earlier = earlier


def admit_overlap(world: World, order: Order) -> None:
    """Apply the order's overlap to the earlier runs of its job. Call it in the transaction that records it.

    Raises Overlapping if the run is to be skipped. Of scheduled runs at most one waits for its turn, since
    what it will find is the same for all.
    """
    if order.overlap is Overlap.ALLOW:
        return
    world.code.runs.queue.lock(order.job)
    going = world.code.runs.reader.going(order.job)
    if order.overlap is Overlap.CANCEL:
        for run in going:
            _cancel(world, run, order)
        return
    waiting = (run for run in going if run.trigger == SCHEDULE and run.started_on is None)
    blocking = going[:1] if order.overlap is Overlap.SKIP else waiting if order.trigger == SCHEDULE else ()
    for run in blocking:
        raise Overlapping(run, order.overlap)


def note_skipped(world: World, job: Item, skipped: Overlapping) -> None:
    """Record in the job's `activity` that a planned time got no run."""
    world.social.actions.add(job.id, job.owner, SKIPPED, f"runs/{skipped.earlier.id}", loose=True)


def lock_runs(world: World, jobs: Iterable[Item]) -> None:
    """Lock the runs that new runs of the jobs may cancel: before the jobs' schedules, to avoid deadlocks."""
    ids = sorted(job.id for job in jobs)
    for job, texts in sorted(world.leaves.texts_of(ids, (OVERLAP,)).items()):
        if texts.get(OVERLAP) == Overlap.CANCEL:
            world.code.runs.queue.lock(job)
            for run in world.code.runs.reader.going(job):
                world.code.runs.states.record(run.key)


def _cancel(world: World, run: Run, order: Order) -> None:
    """Cancel a run, or decline the hold at which it waits, as a newer run takes its place."""
    states = world.code.runs.states
    states.record(run.key)
    present = world.code.runs.reader.by_key(run.key)
    if present is None or present.status.ended or present.status is Status.CANCELING:
        return
    said = f"The run {order.id} takes the place of this one: {OVERLAP} is {Overlap.CANCEL}."
    lines = [(stamp(world.clock.now()), INFO, said)]
    if present.status is Status.WAITING:
        states.record(run.key, lines=[*lines, (stamp(world.clock.now()), INFO, CANCELED)])
        states.settle(run.key, Event.DECLINE, order.by, None)
        withdraw_waiting(world, run.job, run.id)
    else:
        states.event(run.key, Event.CANCEL, lines=lines)
