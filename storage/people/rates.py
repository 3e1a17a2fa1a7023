"""Counts of what happens within spans of time, as rows that all processes share."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

from storage.database.database import Database
from vfs.ports.clock import Clock
from vfs.ports.people import Limit

SWEPT_EVERY = 60

# A row that ends later than a span from now is of a clock that was set back since.
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
    """A limit is reached, which takes back what was counted for the others."""


class StoredRates:
    """Rates over a database. Of a subject only a digest is kept; what is over goes by and by."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self._swept = 0

    def take(self, limits: Sequence[Limit]) -> int:
        now = self._now()
        self._prune(now)
        # In one order, so that two that count the same subjects never wait for each other.
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
        """Remove what is over, once a minute in each process: so the table holds what still counts."""
        if abs(now - self._swept) >= SWEPT_EVERY:
            self._swept = now
            self._database.run(PRUNE, now=now)

    def _now(self) -> int:
        return int(self._clock.now().timestamp())


def _key(subject: str) -> str:
    return sha256(subject.encode("utf-8", "surrogatepass")).hexdigest()
