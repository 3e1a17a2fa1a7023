"""Pauses: a job whose schedule and triggers rest, as they start too much or what keeps failing."""

from __future__ import annotations

from handlers.services.alerts.job_alerts import rest
from handlers.services.run_notices import notify_paused
from handlers.services.world import World
from vfs.ports.leaves import text_at

ENABLED = "config/enabled"


def is_paused(world: World, job: int) -> bool:
    """Return whether a job's schedule and triggers rest."""
    return text_at(world.leaves, job, ENABLED) == "false"


def pause(world: World, job: int, said: str) -> None:
    """Pause a job and notify. Call it in the transaction of what it is paused for."""
    world.code.schedules.set(job, "", False)
    rest(world, job)
    world.leaves.put(job, ENABLED, "false", None)
    notify_paused(world, job, said)
