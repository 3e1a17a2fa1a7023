"""Fair queues in a database: accounts take turns, and one statement finds the oldest row of each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from chains.runs.ports import Rank
from storage.database.database import Database


@dataclass(frozen=True, slots=True)
class TurnQueue:
    """The waiting rows of a table. `key` and `account` name the columns of their number and their account.

    `queued` is the condition of waiting rows. With an index over `account` and `key` with the same condition,
    an account costs two look-ups, regardless of the number of its rows.
    """

    table: str
    key: str
    account: str
    queued: str

    @property
    def firsts(self) -> str:
        """The statement that returns each account and the key of its oldest row."""
        first = f"SELECT min({self.account}) FROM {self.table} WHERE {self.queued}"
        return (
            f"WITH RECURSIVE one (account) AS ({first} UNION ALL"
            f" SELECT ({first} AND {self.account} > one.account) FROM one WHERE one.account IS NOT NULL)"
            f" SELECT account, (SELECT min({self.key}) FROM {self.table}"
            f" WHERE {self.queued} AND {self.account} = one.account) FROM one WHERE account IS NOT NULL"
        )

    def waiting(self, database: Database, rank: Rank) -> Iterator[tuple[str, int]]:
        """Yield statements that select one row that may be taken, each with its key, the next turn first.

        The rows are read again after each round. The generator ends when no account may take a turn.
        """
        # Locked rows are skipped first. A lock may be released without a change signal, for example after a
        # late answer to a hold. So if no other row is left, the statement waits for the lock.
        locks = (" FOR UPDATE SKIP LOCKED", " FOR UPDATE") if database.dialect == "postgresql" else ("",)
        statement = f"SELECT {self.key} FROM {self.table} WHERE {self.queued} AND {self.key} = :key"
        while keys := self._keys(database, rank):
            for lock in locks:
                yield from ((statement + lock, key) for key in keys)

    def _keys(self, database: Database, rank: Rank) -> Sequence[int]:
        rows = database.rows(self.firsts)
        places = [(place, key) for name, key in rows if key is not None and (place := rank(name)) is not None]
        return [key for _, key in sorted(places)]
