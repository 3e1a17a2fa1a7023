"""Counts of what happens within spans of time, in a dictionary of this process."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from vfs.ports.clock import Clock
from vfs.ports.people import Limit

MOST_SUBJECTS = 100_000
"""Subjects that are counted at a time; those beyond have to wait."""


class MemoryRates:
    """vfs.ports.people.Rates in a dictionary of (end of the span, count)."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lock = threading.RLock()
        self._rates: dict[str, tuple[int, int]] = {}

    def take(self, limits: Sequence[Limit]) -> int:
        with self._lock:
            if wait := max((self.wait_for(limit) for limit in limits), default=0):
                return wait
            now = self._now()
            if len(self._rates) + len(limits) > MOST_SUBJECTS and not self._make_room(now, len(limits)):
                return max(limit.seconds for limit in limits)
            for limit in limits:
                ends, taken = self._rates.get(limit.subject, (0, 0))
                if not now < ends <= now + limit.seconds:
                    ends, taken = now + limit.seconds, 0
                self._rates[limit.subject] = (ends, taken + 1)
        return 0

    def give_back(self, subjects: Sequence[str]) -> None:
        with self._lock:
            for subject in subjects:
                ends, taken = self._rates.get(subject, (0, 0))
                if taken:
                    self._rates[subject] = (ends, taken - 1)

    def wait_for(self, limit: Limit) -> int:
        now = self._now()
        ends, taken = self._rates.get(limit.subject, (0, 0))
        return ends - now if taken >= limit.most and now < ends <= now + limit.seconds else 0

    def _make_room(self, now: int, wanted: int) -> bool:
        """Forget spans that are over; whether so many more may be counted then."""
        self._rates = {subject: kept for subject, kept in self._rates.items() if kept[0] > now}
        return len(self._rates) + wanted <= MOST_SUBJECTS

    def _now(self) -> int:
        return int(self._clock.now().timestamp())
