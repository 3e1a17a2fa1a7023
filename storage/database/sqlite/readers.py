"""Reading SQLite outside transactions: read-only connections, each taken for one statement."""

from __future__ import annotations

import sqlite3
from collections import deque
from typing import Any

from chains.files.keeper import keeper_of
from storage.database.sqlite.database_file import KnownFile
from storage.database.statement_log import Params, log_statement

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
