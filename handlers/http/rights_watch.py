"""RightsWatch: ends open calls soon after their permission, token or session has ended."""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable
from typing import Protocol

log = logging.getLogger("curlew")

EVERY_SECONDS = 3.0
"""Seconds between two checks: open calls end within 5 seconds (decisions 12c)."""


class WatchedCall(Protocol):
    """A call that stays open."""

    def look_again(self) -> bool:
        """Check its permission again; return whether it was lost."""


class RightsWatch:
    """Checks the open calls of a process every few seconds.

    `wake` wakes waiting calls, so that they notice. After a fork it starts empty: its thread starts with its
    first call.
    """

    def __init__(self, wake: Callable[[], object], every: float = EVERY_SECONDS) -> None:
        self._wake, self._every = wake, every
        self._lock = threading.Lock()
        self._calls: set[WatchedCall] = set()
        self._process = 0

    def add(self, call: WatchedCall) -> None:
        """Begin to watch a call."""
        with self._lock:
            if self._process != os.getpid():
                self._process, self._calls = os.getpid(), set()
                threading.Thread(target=self._run, name="rights", daemon=True).start()
            self._calls.add(call)

    def remove(self, call: WatchedCall) -> None:
        """Stop watching a call."""
        with self._lock:
            self._calls.discard(call)

    def _run(self) -> None:
        while True:
            time.sleep(self._every)
            try:
                self.look()
            except Exception:
                log.exception("calls that stay open could not be looked at")

    def look(self) -> None:
        """Check all calls, and wake those that have lost their permission."""
        with self._lock:
            calls = list(self._calls)
        lost = [call for call in calls if call.look_again()]
        if lost:
            self._wake()
