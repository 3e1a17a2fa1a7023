"""Turns of accounts in queues of a database: one look-up finds what is first of every account that waits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from chains.runs.ports import Rank
from storage.database.database import Database


@dataclass(frozen=True, slots=True)
class TurnQueue:
    """The rows of a table that wait: `key` numbers them, `account` names whose they are.

    `queued` is the condition of waiting rows. With an index over `account` and `key` with the same condition,
    an account costs two look-ups, however many of its rows wait.
    """

    table: str
    key: str
    account: str
    queued: str

    @property
    def firsts(self) -> str:
        """The statement that answers each account with the key of its oldest row."""
        first = f"SELECT min({self.account}) FROM {self.table} WHERE {self.queued}"
        return (
            f"WITH RECURSIVE one (account) AS ({first} UNION ALL"
            f" SELECT ({first} AND {self.account} > one.account) FROM one WHERE one.account IS NOT NULL)"
            f" SELECT account, (SELECT min({self.key}) FROM {self.table}"
            f" WHERE {self.queued} AND {self.account} = one.account) FROM one WHERE account IS NOT NULL"
        )

    def waiting(self, database: Database, rank: Rank) -> Iterator[tuple[str, int]]:
        """Keys that may be taken, the next turn first; each is answered by a statement of its own.

        It ends when nothing waits that may have a turn; while something does, another round begins.
        """
        # What is locked is passed over first. It may be let go without a change signal, as by an answer to a
        # hold that comes too late: so it is waited for when there is nothing else.
        locks = (" FOR UPDATE SKIP LOCKED", " FOR UPDATE") if database.dialect == "postgresql" else ("",)
        statement = f"SELECT {self.key} FROM {self.table} WHERE {self.queued} AND {self.key} = :key"
        while keys := self._keys(database, rank):
            for lock in locks:
                yield from ((statement + lock, key) for key in keys)

    def _keys(self, database: Database, rank: Rank) -> Sequence[int]:
        rows = database.rows(self.firsts)
        places = [(place, key) for name, key in rows if key is not None and (place := rank(name)) is not None]
        return [key for _, key in sorted(places)]
