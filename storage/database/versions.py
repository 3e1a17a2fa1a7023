"""Versions of a database: two equal ones, one after the other, mean that nothing was committed between."""

from __future__ import annotations

import sqlite3
import threading
from abc import ABC, abstractmethod
from collections.abc import Hashable
from typing import Any

import psycopg2

from chains.files.keeper import keeper_of
from storage.database.file_pool import file_of
from storage.database.prepared import Connection
from storage.database.server_pool import WATCHED_LINK
from storage.database.server_watch import WATCH

CONNECT_SECONDS = 5
# Another thread mostly has its answer by then, and all that is remembered of an unknown version is forgotten.
TURN_SECONDS = 0.002
# The transactions that are over, of all connections: others as soon as one that wrote has ended.
SNAPSHOT = "PREPARE version AS SELECT CAST(pg_current_snapshot() AS TEXT)"


class VersionReader(ABC):
    """Reads the version of a database by a connection of its own, of which one thread at a time makes use.

    So a database that is away keeps one thread waiting; the others are soon told that it is unknown.
    """

    turn_seconds = TURN_SECONDS

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._connection: Any = None
        self._opened = 0

    def read(self) -> Hashable | None:
        """The present version; None where it cannot be told."""
        if not self._lock.acquire(timeout=self.turn_seconds):
            return None
        try:
            if self._connection is None:
                # The versions of another connection may begin anew.
                self._opened += 1
                self._connection = self._connect()
            return self._opened, self._ask(self._connection)
        except (sqlite3.Error, psycopg2.Error, OSError):
            self._close()
            return None
        finally:
            self._lock.release()

    def close(self) -> None:
        """Close the connection."""
        with self._lock:
            self._close()

    def _close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    @abstractmethod
    def _connect(self) -> Any:
        """A new connection."""
        ...

    @abstractmethod
    def _ask(self, connection: Any) -> Hashable:
        """The version by that connection."""
        ...


class FileVersion(VersionReader):
    """The version of an SQLite file: another number after a commit of any other connection of any process."""

    def __init__(self, url: str) -> None:
        super().__init__()
        self._path = file_of(url)
        self._keeper = keeper_of(self._path)

    def _connect(self) -> sqlite3.Connection:
        with self._keeper.acting():
            connection = sqlite3.connect(self._path, timeout=0, isolation_level=None, check_same_thread=False)
            connection.execute("PRAGMA query_only = 1")
        return connection

    def _ask(self, connection: sqlite3.Connection) -> int:
        return int(connection.execute("PRAGMA data_version").fetchone()[0])


class ServerVersion(VersionReader):
    """The version of a PostgreSQL database: the snapshot of transactions that a statement sees."""

    def __init__(self, url: str, patience: float) -> None:
        super().__init__()
        self._url, self._patience = url, patience

    def _connect(self) -> Connection:
        connection: Connection = psycopg2.connect(
            self._url, connect_timeout=CONNECT_SECONDS, application_name="curlew version",
            connection_factory=Connection, **WATCHED_LINK,
        )  # fmt: skip
        WATCH.add(connection, self._url, self._patience)
        connection.autocommit = True
        connection.cursor().execute(SNAPSHOT)
        return connection

    def _ask(self, connection: Connection) -> str:
        cursor = connection.cursor()
        connection.begin()
        try:
            cursor.execute("EXECUTE version")
        finally:
            connection.since = None
        return str(cursor.fetchone()[0])
