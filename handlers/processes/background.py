"""Background loops of the runner process, each in its own thread: the timer, and the disk keeper."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Protocol

from chains.schedules.timer import Timer
from handlers.processes.world import LiveWorld
from handlers.services.alerts.alert_clock import judge_due
from handlers.services.runs.scheduled_runs import fire
from vfs.errors import VfsError
from vfs.ports.disk import DiskSpace

JOIN_SECONDS = 10


class BackgroundLoop(Protocol):
    """Work that continues until it is stopped."""

    def loop(self) -> None:
        """Work until `stop` is called."""

    def stop(self) -> None:
        """End the loop soon."""


@contextmanager
def background(loop: BackgroundLoop) -> Iterator[None]:
    """Run a loop in a thread during the block."""
    thread = threading.Thread(target=loop.loop, name=type(loop).__name__, daemon=True)
    thread.start()
    try:
        yield
    finally:
        loop.stop()
        thread.join(JOIN_SECONDS)


SOON = timedelta(minutes=10)
"""Minimum age of unreferenced bytes that are removed from a full disk: a writer may still refer to them."""

LOOK_SECONDS = 5.0
SWEEP_SECONDS = 60.0

log = logging.getLogger("curlew")


class DiskKeeper:
    """Watches the `disk`; `sweep` removes unreferenced bytes that are older than a given time."""

    def __init__(
        self, disk: DiskSpace, sweep: Callable[[timedelta], object], every: float = LOOK_SECONDS
    ) -> None:
        self._disk = disk
        self._sweep = sweep
        self._every = every
        self._over = threading.Event()
        self._swept = -SWEEP_SECONDS

    def loop(self) -> None:
        """Check the disk until `stop` is called."""
        while not self._over.wait(self._every):
            self.look()

    def stop(self) -> None:
        self._over.set()

    def look(self) -> None:
        """Release or restore the reserve, and sweep a full disk at most once a minute."""
        if not self._disk.room().is_full or time.monotonic() - self._swept < SWEEP_SECONDS:
            return
        self._swept = time.monotonic()
        try:
            self._sweep(SOON)
        except VfsError as error:
            log.warning("space could not be freed on the disk: %s", error.detail)
        except Exception:
            log.exception("space could not be freed on the disk")
        self._disk.room()


def timer_of(live_world: LiveWorld) -> Timer:
    """Return the timer of a world."""
    world = live_world.world
    schedules, lead = world.code.schedules, live_world.lead
    return Timer(
        schedules, lead, world.clock, lambda firings: fire(world, firings), also=[lambda: judge_due(world)]
    )
