"""RightsWatch: calls that stay open end soon after the right, the token or the session that they rest on."""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Hashable
from typing import Protocol

log = logging.getLogger("curlew")

EVERY_SECONDS = 3.0
"""Seconds between two looks: what has ended ends open calls within 5 seconds (decisions 12c)."""


class WatchedCall(Protocol):
    """A call that stays open."""

    @property
    def trusted_until(self) -> float:
        """The time (monotonic) from which on its right has to be looked at, whatever was committed."""
        ...

    def look_again(self) -> bool:
        """Look whether it may still be answered; whether it has lost its right."""
        ...


class RightsWatch:
    """Looks at the calls that are open in a process, once something may have been committed, or in time.

    `version` is the database's, another one after each commit (None: not known), asked for once for all
    calls; so nothing else is asked while nothing is committed. `wake` has those that wait look whether they
    are lost. A fork begins anew: its thread starts with its first call.
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
        """Look at a call from now on."""
        with self._lock:
            if self._process != os.getpid():
                self._process, self._calls = os.getpid(), set()
                threading.Thread(target=self._run, name="rights", daemon=True).start()
            self._calls.add(call)

    def remove(self, call: WatchedCall) -> None:
        """Look at a call no more."""
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
        """Look at the calls that may have lost their right since the last look, and wake those that have."""
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
