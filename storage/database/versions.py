"""Versions of a database: when two successive versions are equal, nothing was committed in between."""

from __future__ import annotations

import sqlite3
import threading
from abc import ABC, abstractmethod
from collections.abc import Hashable
from typing import Any

import psycopg2

from vfs.errors import Unavailable

# Another thread has mostly read the version by then; when the version is unknown, caches are cleared.
TURN_SECONDS = 0.002


class VersionReader(ABC):
    """Reads the version of a database through its own connection, used by one thread at a time.

    So an unreachable database blocks one thread only; the others soon learn that the version is unknown.
    """

    turn_seconds = TURN_SECONDS

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._connection: Any = None
        self._opened = 0

    def read(self) -> Hashable | None:
        """Return the present version; None when it cannot be read."""
        if not self._lock.acquire(timeout=self.turn_seconds):
            return None
        try:
            if self._connection is None:
                # Another connection may count its versions from the start.
                self._opened += 1
                self._connection = self._connect()
            return self._opened, self._ask(self._connection)
        except (sqlite3.Error, psycopg2.Error, OSError, Unavailable):
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
        """Return a new connection."""

    @abstractmethod
    def _ask(self, connection: Any) -> Hashable:
        """Return the version that the connection reads."""
