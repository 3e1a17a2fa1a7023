"""SQLite: the pool of connections to a file, read-only connections, and a check that the file is the same."""

from __future__ import annotations

import logging
import os
import sqlite3
import threading
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from typing import Any
from urllib.parse import unquote, urlsplit

from playhouse.pool import PooledSqliteDatabase

from chains.files.keeper import keeper_of
from storage.database.statement_log import SAVEPOINT, Params, log_statement
from vfs.errors import Unavailable

_log = logging.getLogger(__name__)

GONE = (
    "The database of this server is not where it was, so nothing is read or stored: its operator has to put "
    "the file back, or, to use another one, start the service again."
)


class KnownFile:
    """The device and inode of a path at its first use, for a process and its forked children.

    After a database file is moved or replaced, open connections would still write to the old file, and new
    ones would create an empty file under its name.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._mark: tuple[int, int] | None = None
        self._is_logged = False

    def require(self) -> None:
        """Raise Unavailable when the file is gone or was replaced by another one."""
        try:
            found = os.stat(self._path)
        except OSError:
            mark = None
        else:
            mark = found.st_dev, found.st_ino
        if self._mark is None:
            self._mark = mark  # if there never was a file, SQLite reports the problem with its folder
        elif mark != self._mark:
            self._refuse(is_gone=mark is None)
        else:
            self._is_logged = False

    def _refuse(self, *, is_gone: bool) -> None:
        if not self._is_logged:
            self._is_logged = True
            what = "is gone" if is_gone else "is not the file that was opened"
            _log.error("the database %s %s: nothing is read or stored until it is back", self._path, what)
        raise Unavailable(GONE, retry_after=10)


IDLE = 16


class Readers:
    """Read-only connections. A reading thread takes an idle one or opens another; at most IDLE are kept."""

    def __init__(self, path: str, known: KnownFile, patience: float) -> None:
        self._path = path
        self._known = known
        self._keeper = keeper_of(path)
        self._patience = patience
        self._idle: deque[sqlite3.Connection] = deque()

    def rows(self, sql: str, params: Params) -> list[tuple[Any, ...]]:
        """Execute a statement and return all rows. Raises Unavailable when the file is gone or replaced.

        Raises sqlite3.Error; the connection is then closed.
        """
        self._known.require()
        try:
            connection = self._idle.pop()
        except IndexError:
            connection = self._open()
        log_statement(sql, params)
        try:
            found = connection.execute(sql, params).fetchall()
        except sqlite3.Error:
            connection.close()
            raise
        if len(self._idle) < IDLE:
            self._idle.append(connection)
        else:
            connection.close()
        return found

    def close(self) -> None:
        """Close the idle connections."""
        while self._idle:
            self._idle.pop().close()

    def _open(self) -> sqlite3.Connection:
        with self._keeper.acting():
            connection = sqlite3.connect(
                self._path, timeout=self._patience, isolation_level=None, check_same_thread=False
            )
            for pragma in ("query_only = 1", "mmap_size = 268435456", "temp_store = memory"):
                connection.execute(f"PRAGMA {pragma}")
            open_files(connection)
        return connection


def open_files(connection: sqlite3.Connection) -> None:
    """Make a new connection open its WAL and index now, not at its first statement."""
    connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchall()


class FilePool(PooledSqliteDatabase):  # type: ignore[misc]  # playhouse has no types
    """A pool for SQLite, which itself rolls back a transaction that cannot be written.

    Then nothing is left to roll back, and an error about that would hide the cause. Files are opened as the
    account that owns them, and not through links.

    Writers of a process queue for the lock `turns`, because SQLite sleeps too long while it waits for a file
    lock. `spent`: seconds that the holder waited for `turns`; they shorten its wait for the file lock.
    """

    def __init__(self, path: str, known: KnownFile, **options: Any) -> None:
        super().__init__(path, **options)
        self._keeper = keeper_of(path)
        self._known = known
        self.turns = threading.Lock()
        self.spent = 0.0
        self._busy_timeout: int = options["pragmas"]["busy_timeout"]

    def statement(self, sql: str, params: Params) -> Any:
        """Execute a constant statement and return its cursor. Raises sqlite3.Error."""
        log_statement(sql, params)
        connection: sqlite3.Connection = self.connection()
        if not connection.in_transaction:
            self._known.require()
        return connection.execute(sql, params)

    def statements(self, sql: str, params: Sequence[Params]) -> None:
        """Execute a constant statement once for each of `params`. Raises sqlite3.Error."""
        self.connection().executemany(sql, params)

    def _connect(self) -> Any:
        self._known.require()
        with self._keeper.acting():
            return super()._connect()

    def _add_conn_hooks(self, connection: sqlite3.Connection) -> None:
        super()._add_conn_hooks(connection)
        open_files(connection)

    def set_savepoint(self) -> None:
        """Set a savepoint."""
        self.statement(f"SAVEPOINT {SAVEPOINT}", ())

    def release_savepoint(self) -> None:
        """Release the innermost savepoint."""
        self.statement(f"RELEASE SAVEPOINT {SAVEPOINT}", ())

    def undo_savepoint(self) -> None:
        """Roll back to the innermost savepoint and release it."""
        self.statement(f"ROLLBACK TO SAVEPOINT {SAVEPOINT}", ())
        self.release_savepoint()

    def block(self) -> Any:
        """Return a writing transaction that has not begun yet."""
        return self.transaction("IMMEDIATE")

    def begin(self, lock_type: str | None = None) -> None:
        """Begin a transaction. Raises Unavailable when the file is gone or was replaced."""
        self._known.require()
        left = self._busy_timeout - round(self.spent * 1000)
        if left == self._busy_timeout:
            super().begin(lock_type)
        else:
            self._begin_within(max(0, left))

    def _begin_within(self, milliseconds: int) -> None:
        """Begin a transaction; wait at most this time for the lock. Raises sqlite3.OperationalError."""
        connection: sqlite3.Connection = self.connection()
        connection.execute(f"PRAGMA busy_timeout = {milliseconds}")
        try:
            connection.execute("BEGIN IMMEDIATE")
        finally:
            connection.execute(f"PRAGMA busy_timeout = {self._busy_timeout}")

    def rollback(self) -> None:
        """Roll back the transaction if it is still open."""
        if self.is_closed() or self.connection().in_transaction:
            super().rollback()


def file_of(url: str) -> str:
    """Return the absolute path of a SQLite URL, which may begin with any number of slashes."""
    return "/" + unquote(urlsplit(url).path).lstrip("/")


def sqlite(path: str, known: KnownFile, synchronous: str, pool: int, patience: float) -> FilePool:
    """Return the pool for a file in WAL mode. With `synchronous` full, commits survive a power cut."""
    pragmas = {
        "busy_timeout": round(patience * 1000),
        "journal_mode": "wal",
        "synchronous": synchronous,
        "foreign_keys": 1,
        "mmap_size": 256 << 20,
        "cache_size": -16_000,
        "temp_store": "memory",
    }
    return FilePool(
        path, known, pragmas=pragmas, timeout=patience, max_connections=pool, check_same_thread=False,
    )  # fmt: skip


def known_file(path: str) -> KnownFile:
    """Return the file of a database. If it is missing, create it, readable only by its owner.

    A file that SQLite creates would be readable for all users. SQLite reports errors of the folder.
    """
    with suppress(OSError), keeper_of(path).acting():
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    known = KnownFile(path)
    known.require()
    return known
