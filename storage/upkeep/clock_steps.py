"""Whether the wall clock can be trusted to tell how old something is (reliability 3.5)."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import timedelta

from vfs.ports.clock import Clock


def uptime() -> float:
    """Seconds since this machine was started, its sleep included; nobody sets that clock."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


class Steady:
    """Compares the wall clock with one that nobody sets. Not for several threads."""

    def __init__(self, clock: Clock, elapsed: Callable[[], float] = uptime) -> None:
        self._clock = clock
        self._elapsed = elapsed
        self._then = self._both()

    def step(self) -> timedelta:
        """The time by which the wall clock was set forward (back: below zero) since the last call."""
        before, self._then = self._then, self._both()
        return self._then[0] - before[0] - timedelta(seconds=self._then[1] - before[1])

    def _both(self) -> tuple[timedelta, float]:
        now = self._clock.now()
        return timedelta(seconds=now.timestamp()), self._elapsed()
