"""Pauses of jobs: one whose scheduled runs keep failing is switched off, and its people are told.

Failures of its scheduled runs in a row count, nested runs left aside. A stopped run, which is one that was
canceled or declined, neither counts nor ends the row, nor does a rejected one; a success ends it
(`chains.runs.ports.RunReader.failures`).
"""

from __future__ import annotations

from chains.runs.records import RunEnd
from chains.runs.states import Status
from handlers.services.run_notices import notify_paused
from handlers.services.runs.run_trigger import SCHEDULE
from handlers.services.world import World
from vfs.ports.clock import stamp

IN_A_ROW = 10
ENABLED = "config/enabled"
PAUSED = (
    "The job is paused, as ten scheduled runs in a row failed: config/enabled is false now. "
    "Write true to it when the job is mended."
)


def pause_failing(world: World, end: RunEnd) -> None:
    """Pause a job with the tenth scheduled failure in a row (decisions 27).

    Whoever enables it again has ten more. Belongs into the transaction that ends the run.
    """
    if end.status is not Status.FAILED or end.trigger != SCHEDULE:
        return
    failures = world.code.runs.reader.failures(end.job)
    if failures == 0 or failures % IN_A_ROW:
        return
    enabled = world.leaves.get(end.job, ENABLED)
    if enabled is not None and enabled.text == "false":
        return
    world.code.schedules.set(end.job, "", False)
    world.leaves.put(end.job, ENABLED, "false", None)
    world.code.runs.states.record(end.key, lines=[(stamp(world.clock.now()), "warning", PAUSED)])
    notify_paused(world, end.job, PAUSED)
