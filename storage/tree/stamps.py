"""Stamps: the moment of a change, one for all that a group of writes changes."""

from __future__ import annotations

from storage.database.database import Database
from vfs.ports.clock import Clock, stamp


class Stamps:
    """Stamps what is written into a database by a clock."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def now(self) -> str:
        """The present moment as it is stored."""
        return self._database.once(Stamps, self._now)

    def _now(self) -> str:
        return stamp(self._clock.now())
