"""Counts of what happens within spans of time, in a dictionary."""

from __future__ import annotations

from collections.abc import Sequence

from storage.memory.state import Memory
from vfs.ports.people import Limit


class MemoryRates:
    """vfs.ports.people.Rates in a dictionary of (end of the span, count)."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def take(self, limits: Sequence[Limit]) -> int:
        with self._memory.lock:
            if wait := max((self.wait_for(limit) for limit in limits), default=0):
                return wait
            rates, now = self._memory.state.rates, self._now()
            for limit in limits:
                ends, taken = rates.get(limit.subject, (0, 0))
                if not now < ends <= now + limit.seconds:
                    ends, taken = now + limit.seconds, 0
                rates[limit.subject] = (ends, taken + 1)
        return 0

    def give_back(self, subjects: Sequence[str]) -> None:
        rates = self._memory.state.rates
        with self._memory.lock:
            for subject in subjects:
                if rates.get(subject, (0, 0))[1]:
                    rates[subject] = (rates[subject][0], rates[subject][1] - 1)

    def wait_for(self, limit: Limit) -> int:
        now = self._now()
        ends, taken = self._memory.state.rates.get(limit.subject, (0, 0))
        return ends - now if taken >= limit.most and now < ends <= now + limit.seconds else 0

    def _now(self) -> int:
        return int(self._memory.clock.now().timestamp())
