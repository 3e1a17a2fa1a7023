"""Leadership: one thread at a time turns the loop, and another takes over while it waits in a call.

The pattern of leaders and followers (D. C. Schmidt et al., Pattern-Oriented Software Architecture, volume 2).
"""

from __future__ import annotations

import threading
import time

# Threads that may wait in calls which were made on the loop, before even the shortest are made elsewhere.
MOST_STUCK = 16


class Leadership:
    """Watches the calls that the leader makes on the loop.

    A call there ought to take a millisecond. A leader that is in one for longer than `patience` seconds, as
    for a lock or a database that is away, is deposed and works for the loop no more; until its call has
    ended, and for `rest` seconds after that, calls are better made in other threads.
    """

    def __init__(self, patience: float, rest: float) -> None:
        self._patience = patience
        self._rest = rest
        # Guards what follows: the leader begins and ends calls, the main thread of the worker deposes.
        self._lock = threading.Lock()
        self._term = 0
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

    def begin_call(self) -> int:
        """Note that the leader begins a call; the number of its term."""
        with self._lock:
            self._began = time.monotonic()
            return self._term

    def end_call(self, term: int) -> bool:
        """Note that a call of that term has ended; whether its thread still leads."""
        with self._lock:
            if term != self._term:
                self._stuck -= 1
                self._wary_until = time.monotonic() + self._rest
                return False
            self._began = None
            return True

    def depose(self) -> bool:
        """Take the lead from a thread that waits for too long; whether it did, and another is to lead."""
        with self._lock:
            now = time.monotonic()
            if self._began is None or now - self._began < self._patience:
                return False
            self._term += 1
            self._began = None
            self._stuck += 1
            return True


class LeadershipLost(BaseException):
    """Raised in a thread that leads no more, to leave the loop without touching anything."""
