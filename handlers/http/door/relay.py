"""LoopRelay: one thread is at the loop, and is relieved by another while it waits in a call."""

from __future__ import annotations

import threading
import time

# Threads that may wait in calls which were made on the loop, before even the shortest are made elsewhere.
MOST_STUCK = 16


class LoopRelay:
    """Watches the calls that are made on the loop.

    A call there ought to take a millisecond. One that takes longer than `patience`, as for a lock or a
    database that is away, is left to its thread, which works for the loop no more; until it has ended, and
    for `rest` seconds after that, calls are better made in other threads.
    """

    def __init__(self, patience: float, rest: float) -> None:
        self._patience, self._rest = patience, rest
        self._lock = threading.Lock()
        self._leg = 0
        self._began: float | None = None
        self._stuck = 0
        self._wary_until = 0.0

    @property
    def is_wary(self) -> bool:
        """Whether a call takes too long, or took so a moment ago."""
        return self._stuck > 0 or time.monotonic() < self._wary_until

    @property
    def is_spent(self) -> bool:
        """Whether so many threads wait in calls that none more is to be risked."""
        return self._stuck >= MOST_STUCK

    def begin(self) -> int:
        """Note that a call begins; the number of this thread's time at the loop."""
        with self._lock:
            self._began = time.monotonic()
            return self._leg

    def end(self, leg: int) -> bool:
        """Note that it has ended; whether the thread is still the one at the loop."""
        with self._lock:
            if leg != self._leg:
                self._stuck -= 1
                self._wary_until = time.monotonic() + self._rest
                return False
            self._began = None
            return True

    def relieve(self) -> bool:
        """Whether the loop was taken from a thread that waits too long; the caller starts another there."""
        with self._lock:
            now = time.monotonic()
            if self._began is None or now - self._began < self._patience:
                return False
            self._leg += 1
            self._began = None
            self._stuck += 1
            return True


class LoopTaken(BaseException):
    """Raised in a thread that the loop was taken from, to leave it without touching anything."""
