"""Ends and status changes of runs and builds, and their effects, such as pausing a failing job.

The schedule and the triggers of a paused job are off: they started too many runs, or runs that kept failing.
"""

from __future__ import annotations

from chains.builds.run_store import Build, BuildStatus
from chains.language.trigger_lines import ENDS, TriggerKind
from chains.runs.records import Run, RunEnd, RunTurn
from chains.runs.states import Status
from handlers.services.alerts.job_alerts import rest, run_over
from handlers.services.happenings import publish_turn
from handlers.services.run_notices import notify_ended, notify_paused
from handlers.services.runs.run_trigger import MAIL, SCHEDULE
from handlers.services.world import World
from vfs.ports.clock import stamp
from vfs.ports.leaves import text_at

ENABLED = "config/enabled"
IN_A_ROW = 10
PAUSED = (
    "The job is paused, as ten scheduled runs in a row failed: config/enabled is false now. "
    "Write true to it when the job is fixed."
)


def is_paused(world: World, job: int) -> bool:
    """Return whether a job's schedule and triggers are off."""
    return text_at(world.leaves, job, ENABLED) == "false"


def pause(world: World, job: int, said: str) -> None:
    """Pause a job and notify. Call it in the transaction of its cause."""
    world.code.schedules.set(job, "", False)
    rest(world, job)
    world.leaves.put(job, ENABLED, "false", None)
    notify_paused(world, job, said)


def pause_failing(world: World, end: RunEnd) -> None:
    """Pause a job after ten scheduled failures in a row (decisions 27).

    After it is enabled again, ten more are allowed. Call this in the transaction that ends the run.
    """
    if end.status is not Status.FAILED or end.trigger != SCHEDULE:
        return
    failures = world.code.runs.reader.failures(end.job)
    if failures == 0 or failures % IN_A_ROW:
        return
    if is_paused(world, end.job):
        return
    world.code.runs.states.record(end.key, lines=[(stamp(world.clock.now()), "warning", PAUSED)])
    pause(world, end.job, PAUSED)


ACTIONS = {
    Status.SUCCESS: "ran",
    Status.FAILED: "ran, failed",
    Status.CANCELED: "ran, canceled",
    Status.REJECTED: "ran, rejected",
}
"""Words for ended runs in the `activity` of their job."""
WROTE_RESULTS, WROTE_NO_RESULTS = "wrote results", "wrote no results"
"""Words in `activity` for runs whose results were to be written elsewhere."""
BUILT = {BuildStatus.READY: "built", BuildStatus.FAILED: "built, failed"}
"""Words for ended builds in the `activity` of their repo."""


def run_ended(world: World, end: RunEnd) -> None:
    """Answer the mail of a run, notify of its end, pause a job that keeps failing, and trigger others."""
    if end.trigger == MAIL:
        world.social.inbound.signal()
    notify_ended(world, end)
    run_over(world, end)
    pause_failing(world, end)
    if end.status in ENDS:
        world.code.triggers.add(TriggerKind.AFTER, end.job, str(end.key))


def run_turned(world: World, turn: RunTurn) -> None:
    """Publish that a run has another status, and record its end in the `activity` of the job."""
    publish_turn(world, turn)
    if turn.status in ACTIONS:
        world.social.actions.add(turn.job, turn.by, ACTIONS[turn.status], f"runs/{turn.id}", loose=True)


def results_ended(world: World, run: Run, word: str) -> None:
    """Record whether a run has written its results. Call it in the transaction that does so."""
    world.social.actions.add(run.job, run.by, word, f"runs/{run.id}", loose=True)


def build_ended(world: World, build: Build) -> None:
    """Record the end of a build in the `activity`, under its main label, and trigger jobs if it is ready."""
    if build.status in BUILT:
        world.social.actions.add(build.repo, build.by, BUILT[build.status], build.labels[-1])
    if build.status is BuildStatus.READY:
        world.code.triggers.add(TriggerKind.PUSH, build.repo, str(build.id))
