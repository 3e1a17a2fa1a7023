"""The pool of connections to a SQLite file, with a maximum size and a maximum wait for a lock."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Sequence
from contextlib import suppress
from typing import Any
from urllib.parse import unquote, urlsplit

from playhouse.pool import PooledSqliteDatabase

from chains.files.keeper import keeper_of
from storage.database.sqlite.database_file import KnownFile
from storage.database.sqlite.readers import open_files
from storage.database.statement_log import Params, log_statement
from storage.database.thread_state import SAVEPOINT


class FilePool(PooledSqliteDatabase):  # type: ignore[misc]  # playhouse has no types
    """A pool for SQLite, which rolls a transaction back when it cannot be written.

    There is then nothing to roll back, and an error about that would hide why the commit failed. Files are
    opened as the account that owns them, and not through links.

    Writers of a process queue for the lock `turns`, as SQLite's wait for the file lock sleeps too long.
    `spent`: seconds that the holder waited for `turns`; the wait for the file lock is shorter by that time.
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
        """Begin a transaction; wait at most this long for the lock. Raises sqlite3.OperationalError."""
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
    """Return the pool for a file in WAL mode; with `synchronous` full, commits survive a power cut."""
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
    """Return the file of a database; create it, readable by its owner alone, when it is missing.

    A file that SQLite creates would be readable by all of the host. SQLite reports errors of the folder.
    """
    with suppress(OSError), keeper_of(path).acting():
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    known = KnownFile(path)
    known.require()
    return known
