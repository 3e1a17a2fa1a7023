"""Pools of connections: at most `pool` of them, and `patience` seconds to wait for one or for a lock."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any
from urllib.parse import unquote, urlsplit

from playhouse.pool import PooledPostgresqlDatabase, PooledSqliteDatabase

from chains.files.keeper import keeper_of
from storage.database.prepared import Connection
from storage.database.sqlite_readers import open_files


class Here(threading.local):
    """A thread's open sessions: `holds` counts them and transactions, `blocks` transactions alone.

    `after` waits for the commit.
    """

    def __init__(self) -> None:
        self.holds = 0
        self.blocks = 0
        self.after: list[Callable[[], None]] = []
        self.broken = False


class RolledBack(PooledSqliteDatabase):  # type: ignore[misc]  # playhouse has no types
    """A pool for SQLite, which takes a transaction back by itself when it cannot write it.

    There is then nothing to roll back, and to say so would hide why the commit failed.
    Its files are opened as the account in whose hands they are, and by no link.
    """

    def __init__(self, path: str, **options: Any) -> None:
        super().__init__(path, **options)
        self._keeper = keeper_of(path)

    def _connect(self) -> Any:
        with self._keeper.acting():
            return super()._connect()

    def _add_conn_hooks(self, connection: sqlite3.Connection) -> None:
        super()._add_conn_hooks(connection)
        open_files(connection)

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
    """

    def _is_closed(self, conn: Connection) -> bool:
        return bool(conn.closed)


def postgresql(url: str, pool: int, patience: float) -> Unasked:
    """A server's database, reached as libpq reads its URL."""
    return Unasked(
        url, max_connections=pool, timeout=patience, register_unicode=False, connect_timeout=5,
        connection_factory=Connection, application_name="curlew",
        options=f"-c lock_timeout={round(patience * 1000)}",
    )  # fmt: skip
