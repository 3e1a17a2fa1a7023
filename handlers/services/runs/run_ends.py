"""Ends and turns of runs: what follows in the transaction that brings them."""

from __future__ import annotations

from chains.runs.records import RunEnd, RunTurn
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
