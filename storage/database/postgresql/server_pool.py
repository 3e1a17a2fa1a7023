"""The pool of connections to a PostgreSQL server, with a maximum size and a maximum wait (`patience`)."""

from __future__ import annotations

import os
import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import peewee
import psycopg2
from playhouse.pool import PooledPostgresqlDatabase
from psycopg2.extras import execute_batch

from storage.database.postgresql.prepared import Connection, words
from storage.database.postgresql.server_watch import watch_of
from storage.database.statement_log import Params, log_statement
from storage.database.thread_state import SAVEPOINT

# Options of libpq (34.1.2): a server that the network has cut off counts as lost within a minute. Waiting
# callers then get an error, and the next attempt reaches the server's replacement.
WATCHED_LINK = {
    "keepalives_idle": 20,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 20_000,
}
NOTIFY = (
    "SELECT pg_notify(sent.channel, sent.topic) "
    "FROM unnest(CAST(%s AS TEXT[]), CAST(%s AS TEXT[])) AS sent(channel, topic)"
)

# After a server did not answer a new connection, no other is tried for this many seconds.
AWAY_SECONDS = 2.0


class ServerPool(PooledPostgresqlDatabase):  # type: ignore[misc]  # playhouse has no types
    """A pool that hands out a connection without first checking that the server is alive.

    A dead connection fails at its first statement: Database then drops it and repeats what only reads. While
    one thread tries to connect to a server that does not answer, the threads that wait for a connection fail
    together with that attempt.
    """

    turns = None

    def __init__(self, url: str, patience: float, **options: Any) -> None:
        super().__init__(url, timeout=patience, **options)
        self._watched = url, patience
        self._away_until = 0.0

    def execute_sql(self, sql: str, params: Any = None) -> Any:
        """Execute a statement and return its cursor."""
        return self._ask(self.connection(), sql, params)

    def commit(self) -> Any:
        """Commit and notify the listeners in one round trip."""
        if self.is_closed():
            raise peewee.InterfaceError("the connection of the transaction is gone")
        connection: Connection = self.connection()
        signals, connection.signals = connection.signals, ()
        if not signals:
            return self.execute_sql("COMMIT")
        return self.execute_sql(f"{NOTIFY}; COMMIT", tuple(map(list, zip(*signals, strict=True))))

    def rollback(self) -> Any:
        """Roll back."""
        with self._asking() as connection:
            connection.signals = ()
            return super().rollback()

    def signal_with_commit(self, signals: Collection[tuple[str, str]]) -> None:
        """Notify the listeners of channels and topics with the next commit."""
        self.connection().signals = signals

    def set_savepoint(self) -> None:
        """Set a savepoint."""
        self.execute_sql(f"SAVEPOINT {SAVEPOINT}")

    def release_savepoint(self) -> None:
        """Release the innermost savepoint."""
        self.execute_sql(f"RELEASE SAVEPOINT {SAVEPOINT}")

    def undo_savepoint(self) -> None:
        """Roll back to the innermost savepoint and release it."""
        self.execute_sql(f"ROLLBACK TO SAVEPOINT {SAVEPOINT}; RELEASE SAVEPOINT {SAVEPOINT}")

    def block(self) -> Any:
        """Return a transaction that has not begun yet."""
        return self.transaction()

    def begin(self) -> None:
        """Begin a transaction."""
        with self._asking() as connection:
            connection.signals = ()
            super().begin()

    def statement(self, sql: str, params: Params) -> Any:
        """Execute a constant statement, planned once, and return its cursor. Raises psycopg2.Error."""
        connection, in_transaction = self.connection(), self.in_transaction()
        planned = connection.words.get(sql) or words(connection, sql, in_transaction=in_transaction)
        return self._ask(connection, planned, params)

    def statements(self, sql: str, params: Sequence[Params]) -> None:
        """Execute a constant statement once for each of `params`. Raises psycopg2.Error."""
        planned = words(self.connection(), sql, in_transaction=self.in_transaction())
        with self._asking():
            execute_batch(self.cursor(), planned, params)

    def _ask(self, connection: Connection, sql: str, params: Any) -> Any:
        log_statement(sql, params)
        connection.begin()
        try:
            cursor = connection.cursor()
            cursor.execute(sql, params or ())
        finally:
            connection.since = None
        return cursor

    @contextmanager
    def _asking(self) -> Iterator[Connection]:
        connection: Connection = self.connection()
        connection.begin()
        try:
            yield connection
        finally:
            connection.since = None

    def _connect(self) -> Connection:
        with self._pool_lock:
            began = time.monotonic()
            if began < self._away_until and not self._connections:
                raise psycopg2.OperationalError("the server answered nothing a moment ago")
            try:
                connection: Connection = super()._connect()
            except psycopg2.OperationalError:
                if time.monotonic() - began > 1:
                    self._away_until = time.monotonic() + AWAY_SECONDS
                raise
        if connection.watched != self._watched:
            watch_of(os.getpid()).add(connection, *self._watched)
        return connection

    def _is_closed(self, conn: Connection) -> bool:
        return bool(conn.closed)


def postgresql(url: str, pool: int, patience: float) -> ServerPool:
    """Return the pool for a database URL, which libpq interprets."""
    return ServerPool(
        url, patience, max_connections=pool, register_unicode=False, connect_timeout=5,
        connection_factory=Connection, application_name="curlew",
        **WATCHED_LINK,
        # JIT compilation takes longer than any of these statements.
        options=f"-c lock_timeout={round(patience * 1000)} -c jit=off",
    )  # fmt: skip
