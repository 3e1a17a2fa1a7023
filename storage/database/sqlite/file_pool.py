"""The pool of connections to a SQLite file: so many at most, and `patience` seconds to wait for a lock."""

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
    """A pool for SQLite, which takes a transaction back by itself when it cannot write it.

    There is then nothing to roll back, and to say so would hide why the commit failed.
    Its files are opened as the account in whose hands they are, and by no link.

    Writers of a process take `turns`: waiting for the lock of the file they would oversleep. `spent` are the
    seconds that the holder of the turn waited for it: so much less is the lock waited for.
    """

    def __init__(self, path: str, known: KnownFile, **options: Any) -> None:
        super().__init__(path, **options)
        self._keeper = keeper_of(path)
        self._known = known
        self.turns = threading.Lock()
        self.spent = 0.0
        self._busy_timeout: int = options["pragmas"]["busy_timeout"]

    def statement(self, sql: str, params: Params) -> Any:
        """A cursor for the answer to a constant statement. Raises sqlite3.Error."""
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
        """Begin a part of the transaction that can be taken back by itself."""
        self.statement(f"SAVEPOINT {SAVEPOINT}", ())

    def release_savepoint(self) -> None:
        """Keep the innermost part."""
        self.statement(f"RELEASE SAVEPOINT {SAVEPOINT}", ())

    def undo_savepoint(self) -> None:
        """Take the innermost part back."""
        self.statement(f"ROLLBACK TO SAVEPOINT {SAVEPOINT}", ())
        self.release_savepoint()

    def block(self) -> Any:
        """A transaction that writes and is still to be entered."""
        return self.transaction("IMMEDIATE")

    def begin(self, lock_type: str | None = None) -> None:
        """Begin a transaction. Raises Unavailable where the file is another one."""
        self._known.require()
        left = self._busy_timeout - round(self.spent * 1000)
        if left == self._busy_timeout:
            super().begin(lock_type)
        else:
            self._begin_within(max(0, left))

    def _begin_within(self, milliseconds: int) -> None:
        """Begin a transaction that waits so long for the lock. Raises sqlite3.OperationalError."""
        connection: sqlite3.Connection = self.connection()
        connection.execute(f"PRAGMA busy_timeout = {milliseconds}")
        try:
            connection.execute("BEGIN IMMEDIATE")
        finally:
            connection.execute(f"PRAGMA busy_timeout = {self._busy_timeout}")

    def rollback(self) -> None:
        """Roll back what is still open."""
        if self.is_closed() or self.connection().in_transaction:
            super().rollback()


def file_of(url: str) -> str:
    """The path of the file that a SQLite URL names, with one slash before it, however many the URL has."""
    return "/" + unquote(urlsplit(url).path).lstrip("/")


def sqlite(path: str, known: KnownFile, synchronous: str, pool: int, patience: float) -> FilePool:
    """A file in WAL mode; with `synchronous` full every commit outlives a power cut."""
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
    """The file of a database, made where it is missing, for its owner alone.

    SQLite's own would be open to all of the host. SQLite tells what is wrong with its folder.
    """
    with suppress(OSError), keeper_of(path).acting():
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    known = KnownFile(path)
    known.require()
    return known
