"""Pools of connections: at most `pool` of them, and `patience` seconds to wait for one or for a lock."""

from __future__ import annotations

import logging
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from typing import Any
from urllib.parse import unquote, urlsplit

import peewee
import psycopg2
from playhouse.pool import PooledPostgresqlDatabase, PooledSqliteDatabase
from psycopg2.extensions import TRANSACTION_STATUS_INTRANS
from psycopg2.extras import execute_batch

from chains.files.keeper import keeper_of
from storage.database.commit_marks import CommitMarks
from storage.database.prepared import Connection, words
from storage.database.server_watch import WATCH
from storage.database.sqlite_readers import Params, open_files

# Statements that peewee does not execute are told to its logger, so that whoever counts them counts all.
_statements = logging.getLogger("peewee")


Notice = Callable[[], object]
# Options of libpq (34.1.2) by which a server that a network has cut off is given up within a minute:
# whoever waits for it is told, and the next attempt finds its successor.
WATCHED_LINK = {
    "keepalives_idle": 20,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 20_000,
}

# For so long after a server answered nothing to a new connection, no other is tried.
AWAY_SECONDS = 2.0


class Here(threading.local):
    """A thread's open sessions: `holds` counts them and transactions, `blocks` transactions alone.

    `after` waits for the commit, `notice` is given before a wait.
    """

    def __init__(self) -> None:
        self.holds = 0
        self.blocks = 0
        self.after: list[Callable[[], None]] = []
        self.broken = False
        self.notice: Notice | None = None

    def note_wait(self) -> None:
        """Tell who wants to know that a lock or a sync is waited for."""
        if self.notice is not None:
            self.notice()


class RolledBack(PooledSqliteDatabase):  # type: ignore[misc]  # playhouse has no types
    """A pool for SQLite, which takes a transaction back by itself when it cannot write it.

    There is then nothing to roll back, and to say so would hide why the commit failed.
    Its files are opened as the account in whose hands they are, and by no link.

    Writers of a process take `turns`: waiting for the lock of the file they would oversleep.
    """

    def __init__(self, path: str, **options: Any) -> None:
        super().__init__(path, **options)
        self._keeper = keeper_of(path)
        self.turns = threading.Lock()
        self._busy_timeout: int = options["pragmas"]["busy_timeout"]

    def statement(self, sql: str, params: Params) -> Any:
        """A cursor for the answer to a constant statement. Raises peewee's errors."""
        if _statements.isEnabledFor(logging.DEBUG):
            _statements.debug("%s", (sql, params))
        try:
            return self.connection().execute(sql, params)
        except sqlite3.Error as error:
            kind = getattr(peewee, type(error).__name__, peewee.DatabaseError)
            raise kind(error, *error.args) from error

    def statements(self, sql: str, params: Sequence[Params]) -> None:
        """Execute a constant statement once for each of `params`. Raises sqlite3.Error."""
        self.connection().executemany(sql, params)

    def _connect(self) -> Any:
        with self._keeper.acting():
            return super()._connect()

    def _add_conn_hooks(self, connection: sqlite3.Connection) -> None:
        super()._add_conn_hooks(connection)
        open_files(connection)

    def has_block(self) -> bool:
        """Whether a transaction is open, as the database says."""
        return bool(self.connection().in_transaction)

    def block(self, notice: Notice | None) -> Any:
        """A transaction that writes and is still to be entered; `notice` is given if that has to wait."""
        return self.transaction("IMMEDIATE", notice)

    def begin(self, lock_type: str | None = None, notice: Notice | None = None) -> None:
        """Begin a transaction."""
        if notice is None or not self._begin_at_once():
            if notice is not None:
                notice()
            super().begin(lock_type)

    def _begin_at_once(self) -> bool:
        connection: sqlite3.Connection = self.connection()
        connection.execute("PRAGMA busy_timeout = 0")
        try:
            connection.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError:
            return False
        finally:
            connection.execute(f"PRAGMA busy_timeout = {self._busy_timeout}")
        return True

    def rollback(self) -> None:
        """Roll back what is still open."""
        if self.is_closed() or self.connection().in_transaction:
            super().rollback()


def file_of(url: str) -> str:
    """The path of the file that a SQLite URL names."""
    return unquote(urlsplit(url).path)


def sqlite(url: str, synchronous: str, pool: int, patience: float) -> RolledBack:
    """A file in WAL mode; with `synchronous` full every commit outlives a power cut."""
    path = file_of(url)
    _keep_private(path)
    pragmas = {
        "busy_timeout": round(patience * 1000),
        "journal_mode": "wal",
        "synchronous": synchronous,
        "foreign_keys": 1,
        "mmap_size": 256 << 20,
        "cache_size": -16_000,
        "temp_store": "memory",
    }
    return RolledBack(
        path, pragmas=pragmas, timeout=patience, max_connections=pool, check_same_thread=False,
    )  # fmt: skip


def _keep_private(path: str) -> None:
    """Make the file, where it is missing, for its owner alone.

    SQLite's own would be open to all of the host. SQLite tells what is wrong with its folder.
    """
    with suppress(OSError), keeper_of(path).acting():
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))


class Unasked(PooledPostgresqlDatabase):  # type: ignore[misc]  # playhouse has no types
    """A pool that hands a connection out without a round trip to ask whether it lives.

    A dead one shows at its first statement, where Database puts it away and repeats what is harmless.
    Whoever waits for a connection while a server that answers nothing is tried fails with that attempt.
    """

    turns = None

    def __init__(self, url: str, patience: float, marks: CommitMarks | None, **options: Any) -> None:
        super().__init__(url, timeout=patience, **options)
        self._watched = url, patience
        self._committing = nullcontext if marks is None else marks.committing
        self._away_until = 0.0

    def execute_sql(self, sql: str, params: Any = None) -> Any:
        """A cursor for the answer."""
        connection: Connection = self.connection()
        connection.begin()
        try:
            return super().execute_sql(sql, params)
        finally:
            connection.since = None

    def commit(self) -> Any:
        """Commit."""
        with self._committing(), self._asking():
            return super().commit()

    def rollback(self) -> Any:
        """Roll back."""
        with self._asking():
            return super().rollback()

    def has_block(self) -> bool:
        """Whether a transaction is open and may go on, as the database says."""
        return bool(self.connection().info.transaction_status == TRANSACTION_STATUS_INTRANS)

    def block(self, notice: Notice | None) -> Any:
        """A transaction that is still to be entered."""
        return self.transaction()

    def statement(self, sql: str, params: Params) -> Any:
        """A cursor for the answer to a constant statement, planned once. Raises peewee's errors."""
        in_transaction = self.in_transaction()
        planned = words(self.connection(), sql, in_transaction=in_transaction)
        if in_transaction or sql.startswith("SELECT"):
            return self.execute_sql(planned, params)
        with self._committing():
            return self.execute_sql(planned, params)

    def statements(self, sql: str, params: Sequence[Params]) -> None:
        """Execute a constant statement once for each of `params`. Raises psycopg2.Error."""
        planned = words(self.connection(), sql, in_transaction=self.in_transaction())
        with self._asking():
            execute_batch(self.cursor(), planned, params)

    @contextmanager
    def _asking(self) -> Iterator[None]:
        connection: Connection = self.connection()
        connection.begin()
        try:
            yield
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
            WATCH.add(connection, *self._watched)
        return connection

    def _is_closed(self, conn: Connection) -> bool:
        return bool(conn.closed)


def postgresql(url: str, pool: int, patience: float, marks: CommitMarks | None = None) -> Unasked:
    """A server's database, reached as libpq reads its URL; `marks` for what is committed."""
    return Unasked(
        url, patience, marks, max_connections=pool, register_unicode=False, connect_timeout=5,
        connection_factory=Connection, application_name="curlew",
        **WATCHED_LINK,
        options=f"-c lock_timeout={round(patience * 1000)}",
    )  # fmt: skip
