"""Ends and turns of runs and builds: what follows in the transaction that brings them."""

from __future__ import annotations

from chains.builds.book import Build, BuildStatus
from chains.runs.records import Run, RunEnd, RunTurn
from chains.runs.states import Status
from handlers.services.happenings import tell_turn
from handlers.services.run_notices import notify_ended
from handlers.services.runs.job_pausing import pause_failing
from handlers.services.runs.run_trigger import MAIL
from handlers.services.world import World

DEEDS = {
    Status.SUCCESS: "ran",
    Status.FAILED: "ran, failed",
    Status.CANCELED: "ran, canceled",
    Status.REJECTED: "ran, rejected",
}
"""Words for ended runs in the `activity` of their job."""
WROTE_RESULTS, WROTE_NO_RESULTS = "wrote results", "wrote no results"
"""Words there for runs that were to write results of theirs elsewhere."""
BUILT = {BuildStatus.READY: "built", BuildStatus.FAILED: "built, failed"}
"""Words for ended builds in the `activity` of their repo."""


def run_ended(world: World, end: RunEnd) -> None:
    """Have the mail answered that started a run, tell of its end, and pause a job that keeps failing."""
    if end.trigger == MAIL:
        world.social.inbound.ring()
    notify_ended(world, end)
    pause_failing(world, end)


def run_turned(world: World, turn: RunTurn) -> None:
    """Tell that a run has another status, and keep that it has ended."""
    tell_turn(world, turn)
    if turn.status in DEEDS:
        world.social.deeds.add(turn.job, turn.by, DEEDS[turn.status], f"runs/{turn.id}", loose=True)


def results_ended(world: World, run: Run, word: str) -> None:
    """Keep that a run has written its results, or none. Belongs into the transaction that does it."""
    world.social.deeds.add(run.job, run.by, word, f"runs/{run.id}", loose=True)


def build_ended(world: World, build: Build) -> None:
    """Keep that a build of what somebody pushed has ended, by the label that it is known by."""
    if build.status in BUILT:
        world.social.deeds.add(build.repo, build.by, BUILT[build.status], build.labels[-1])
