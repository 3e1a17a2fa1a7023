"""Ends of runs: what follows in the transaction that ends one."""

from __future__ import annotations

from chains.runs.records import RunEnd
from handlers.services.run_notices import notify_ended
from handlers.services.runs.job_pausing import pause_failing
from handlers.services.runs.run_trigger import MAIL
from handlers.services.world import World


def run_ended(world: World, end: RunEnd) -> None:
    """Have the mail answered that started a run, tell of its end, and pause a job that keeps failing."""
    if end.trigger == MAIL:
        world.social.inbound.ring()
    notify_ended(world, end)
    pause_failing(world, end)
