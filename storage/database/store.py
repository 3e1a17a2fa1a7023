"""Base classes of stores of rows: with a database, the clock of time stamps, and quotas."""

from __future__ import annotations

from storage.database.database import Database
from vfs.ports.clock import Clock, stamp
from vfs.ports.quotas import QuotaName, Quotas


class Store:
    """A store with rows in a database."""

    def __init__(self, database: Database) -> None:
        self._database = database


class DatedStore(Store):
    """A store whose rows have time stamps."""

    def __init__(self, database: Database, clock: Clock) -> None:
        super().__init__(database)
        self._clock = clock

    def _now(self) -> str:
        return stamp(self._clock.now())


class QuotaStore(DatedStore):
    """A store whose rows count for the quotas of accounts, if there are quotas."""

    def __init__(self, database: Database, clock: Clock, quotas: Quotas | None = None) -> None:
        super().__init__(database, clock)
        self._quotas = quotas

    def _admit_made(self, owner: str, *names: QuotaName) -> None:
        """Raise QuotaReached if the latest addition exceeds one of these quotas of an account."""
        if self._quotas is not None:
            self._quotas.admit_made(owner, *names)
