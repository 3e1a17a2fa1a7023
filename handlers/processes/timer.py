"""The timer of the runner process, over a world."""

from __future__ import annotations

from chains.schedules.timer import Timer
from handlers.processes.world import LiveWorld
from handlers.services.alerts.alert_clock import judge_due
from handlers.services.runs.scheduled_runs import fire


def timer_of(live_world: LiveWorld) -> Timer:
    """Return the timer of a world."""
    world = live_world.world
    schedules, lead = world.code.schedules, live_world.lead
    return Timer(
        schedules, lead, world.clock, lambda firings: fire(world, firings), also=[lambda: judge_due(world)]
    )
