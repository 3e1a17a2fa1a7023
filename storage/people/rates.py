"""Rate counters per span of time: in the database, and in memory while the disk is full."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from hashlib import sha256

from storage.database.database import Database
from vfs.errors import NoSpace
from vfs.ports.clock import Clock
from vfs.ports.people import Limit, Rates

SWEPT_EVERY = 60

# A row that ends later than a full span from now was written before the clock was set back. It is ignored.
TAKE = """
INSERT INTO rate (subject, ends, taken) VALUES (:subject, :ends, 1)
ON CONFLICT (subject) DO UPDATE SET
    taken = CASE WHEN rate.ends <= :now OR rate.ends > excluded.ends THEN 1 ELSE rate.taken + 1 END,
    ends = CASE WHEN rate.ends <= :now OR rate.ends > excluded.ends THEN excluded.ends ELSE rate.ends END
WHERE rate.taken < :most OR rate.ends <= :now OR rate.ends > excluded.ends
RETURNING taken"""
GIVE_BACK = "UPDATE rate SET taken = taken - 1 WHERE subject = :subject AND taken > 0"
ENDS = """
SELECT ends FROM rate WHERE subject = :subject AND taken >= :most AND ends > :now AND ends <= :last"""
PRUNE = "DELETE FROM rate WHERE ends <= :now"


class _Reached(Exception):
    """A limit is reached: the transaction is rolled back, with the counts for other limits."""


class StoredRates:
    """vfs.ports.people.Rates over a database, with digests of subjects. Expired rows are deleted later."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self._swept = 0

    def take(self, limits: Sequence[Limit]) -> int:
        now = self._now()
        self._prune(now)
        # In a fixed order, so that two threads that count the same subjects cannot deadlock.
        for limit in (in_order := sorted(limits, key=lambda one: _key(one.subject))):
            if wait := self.wait_for(limit):
                return wait
        try:
            with self._database.atomic():
                for limit in in_order:
                    self._count(limit, now)
        except _Reached:
            return max(self.wait_for(limit) for limit in limits) or 1
        return 0

    def give_back(self, subjects: Sequence[str]) -> None:
        with self._database.atomic():
            for key in sorted(map(_key, subjects)):
                self._database.run(GIVE_BACK, subject=key)

    def wait_for(self, limit: Limit) -> int:
        now = self._now()
        key = {"subject": _key(limit.subject), "most": limit.most}
        ends: int | None = self._database.value(ENDS, **key, now=now, last=now + limit.seconds)
        return ends - now if ends is not None else 0

    def _count(self, limit: Limit, now: int) -> None:
        key = {"subject": _key(limit.subject), "most": limit.most}
        if self._database.row(TAKE, **key, ends=now + limit.seconds, now=now) is None:
            raise _Reached

    def _prune(self, now: int) -> None:
        """Delete expired rows, at most once a minute in each process."""
        if abs(now - self._swept) >= SWEPT_EVERY:
            self._swept = now
            self._database.run(PRUNE, now=now)

    def _now(self) -> int:
        return int(self._clock.now().timestamp())


def _key(subject: str) -> str:
    return sha256(subject.encode("utf-8", "surrogatepass")).hexdigest()


MOST_SUBJECTS = 100_000
"""The maximum number of subjects counted at a time. Further ones have to wait."""


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
        """Delete expired spans. Return whether `wanted` more fit then."""
        self._rates = {subject: kept for subject, kept in self._rates.items() if kept[0] > now}
        return len(self._rates) + wanted <= MOST_SUBJECTS

    def _now(self) -> int:
        return int(self._clock.now().timestamp())


class SpareRates:
    """vfs.ports.people.Rates over stored counters, or, while those cannot be written, over ones in memory.

    So password attempts are still limited while the disk is full.
    """

    def __init__(self, stored: Rates, make_spare: Callable[[], Rates]) -> None:
        self._stored = stored
        self._make_spare = make_spare
        self._spare: Rates | None = None

    def take(self, limits: Sequence[Limit]) -> int:
        try:
            wait = self._stored.take(limits)
        except NoSpace:
            spare = self._spare = self._spare or self._make_spare()
            return max(spare.take(limits), *map(self._stored.wait_for, limits), 0)
        self._spare = None
        return wait

    def give_back(self, subjects: Sequence[str]) -> None:
        if (spare := self._spare) is not None:
            spare.give_back(subjects)
            return
        try:
            self._stored.give_back(subjects)
        except NoSpace:
            return

    def wait_for(self, limit: Limit) -> int:
        spare = self._spare
        return max(self._stored.wait_for(limit), spare.wait_for(limit) if spare is not None else 0)
