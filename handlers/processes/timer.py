"""The timer of the runner process, over a world."""

from __future__ import annotations

from chains.schedules.timer import Timer
from handlers.processes.world import House
from handlers.services.runs.scheduled_runs import fire


def timer_of(house: House) -> Timer:
    """The timer of a world."""
    world = house.world
    return Timer(world.code.schedules, house.lead, world.clock, lambda firings: fire(world, firings))
