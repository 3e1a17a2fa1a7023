"""The timer of the runner process: fires what is scheduled, in a thread of its own."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from chains.schedules.timer import Timer
from handlers.processes.world import House
from handlers.services.scheduled_runs import fire


@contextmanager
def scheduling(house: House) -> Iterator[Timer]:
    """Fires what is scheduled, in a thread, until it is left."""
    timer = timer_of(house)
    thread = threading.Thread(target=timer.loop, name="timer", daemon=True)
    thread.start()
    try:
        yield timer
    finally:
        timer.stop()
        thread.join(10)


def timer_of(house: House) -> Timer:
    """The timer of a world."""
    world = house.world
    return Timer(world.code.schedules, house.lead, world.clock, lambda firings: fire(world, firings))
