"""The timer of the runner process, over a world."""

from __future__ import annotations

from chains.schedules.timer import Timer
from handlers.processes.world import LiveWorld
from handlers.services.runs.scheduled_runs import fire


def timer_of(live_world: LiveWorld) -> Timer:
    """Return the timer of a world."""
    world = live_world.world
    return Timer(world.code.schedules, live_world.lead, world.clock, lambda firings: fire(world, firings))
