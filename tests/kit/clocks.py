"""Clocks of tests, and the wait for what happens elsewhere."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

PATIENCE = 120.0


class WallClock:
    """The time of this machine."""

    def now(self) -> datetime:
        return datetime.now(UTC)


class AheadClock:
    """The time of this machine, or one ahead of it."""

    def __init__(self) -> None:
        self._ahead = timedelta()

    def now(self) -> datetime:
        """The moment."""
        return datetime.now(UTC) + self._ahead

    def forward(self, **time: float) -> None:
        """Move ahead by a number of days, hours, …"""
        self._ahead += timedelta(**time)


def processor_seconds(act: Callable[[], object]) -> float:
    """Processor seconds of this thread in a call, in which no garbage of earlier tests is collected."""
    gc.disable()
    try:
        began = time.thread_time()
        act()
        return time.thread_time() - began
    finally:
        gc.enable()


def until(look: Callable[[], Any], wanted: Callable[[Any], bool], seconds: float = PATIENCE) -> Any:
    """Look until it is as wanted, or the time is over; what was seen last."""
    deadline, pause = time.monotonic() + seconds, 0.004
    while not wanted(seen := look()) and time.monotonic() < deadline:
        time.sleep(pause)
        pause = min(pause * 1.5, 0.02)
    return seen
