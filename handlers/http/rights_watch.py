"""RightsWatch: ends open calls soon after their permission, token or session has ended."""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Hashable
from typing import Protocol

log = logging.getLogger("curlew")

EVERY_SECONDS = 3.0
"""Seconds between two checks: open calls end within 5 seconds (decisions 12c)."""


class WatchedCall(Protocol):
    """A call that stays open."""

    @property
    def trusted_until(self) -> float:
        """The time (monotonic) at which its permission has to be checked even without a commit."""

    def look_again(self) -> bool:
        """Check its permission again; return whether it was lost."""


class RightsWatch:
    """Checks the open calls of a process after commits, and when their results expire.

    `version` is the database's, which changes with each commit (None: unknown); it is read once for all
    calls, and nothing else is read without a commit. `wake` wakes waiting calls, so that they notice. After a
    fork it starts empty: its thread starts with its first call.
    """

    def __init__(
        self,
        version: Callable[[], Hashable | None],
        wake: Callable[[], object],
        every: float = EVERY_SECONDS,
    ) -> None:
        self._version, self._wake, self._every = version, wake, every
        self._lock = threading.Lock()
        self._calls: set[WatchedCall] = set()
        self._process = 0
        self._seen: Hashable | None = None

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
        """Check the calls that may have lost their permission, and wake those that have."""
        with self._lock:
            calls = list(self._calls)
        if not calls:
            return
        version, now = self._version(), time.monotonic()
        is_quiet, self._seen = version is not None and version == self._seen, version
        due = [call for call in calls if not is_quiet or now >= call.trusted_until]
        lost = [call for call in due if call.look_again()]
        if lost:
            self._wake()
