"""Versions of a database: two equal ones, one after the other, mean that nothing was committed between."""

from __future__ import annotations

import sqlite3
import threading
from abc import ABC, abstractmethod
from collections.abc import Hashable
from typing import Any

import psycopg2

from vfs.errors import Unavailable

# Another thread mostly has its answer by then, and all that is remembered of an unknown version is forgotten.
TURN_SECONDS = 0.002


class VersionReader(ABC):
    """Reads the version of a database by a connection of its own, which one thread at a time uses.

    So a database that is away blocks only one thread; the others soon learn that the version is unknown.
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
        """A new connection."""
        ...

    @abstractmethod
    def _ask(self, connection: Any) -> Hashable:
        """The version by that connection."""
        ...
