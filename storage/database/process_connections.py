"""ProcessConnections: the connections of a process to a database; a forked process opens its own."""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from storage.database.postgresql import postgresql
from storage.database.sqlite import KnownFile, Readers, file_of, known_file, sqlite
from vfs.errors import Invalid


class ThreadState(threading.local):
    """A thread's open sessions. `holds` counts sessions and transactions, `blocks` only transactions.

    `rows` (with their writers), `after` (calls) and `signals` (channels and topics) wait for the commit.
    """

    def __init__(self) -> None:
        self.holds = 0
        self.blocks = 0
        self.rows: list[tuple[Callable[[list[str]], None], str]] = []
        self.after: list[Callable[[], None]] = []
        self.signals: list[tuple[str, str]] = []
        self.broken = False


Opened = tuple[Any, Readers | None]


class ProcessConnections:
    """A pool and, for SQLite, read-only connections.

    Connections that were opened before a fork belong to the parent: a child neither uses nor closes them.
    """

    def __init__(
        self,
        url: str,
        *,
        synchronous: str = "full",
        pool: int = 16,
        patience: float = 10,
    ) -> None:
        """Set the maximum size (`pool`) and the seconds to wait for a lock or a connection (`patience`).

        No connection is opened yet. Raises Invalid for a URL of another dialect.
        """
        self.dialect = urlsplit(url).scheme
        if self.dialect == "sqlite":
            known = known_file(file_of(url))
            self._make: Callable[[], Opened] = lambda: _of_file(url, known, synchronous, pool, patience)
        elif self.dialect == "postgresql":
            self._make = lambda: _of_server(url, pool, patience)
        else:
            raise Invalid("A database URL begins with sqlite:/// or postgresql://; correct it.")
        self._readers: Readers | None
        self._pool, self._readers = self._make()
        self._state, self._patience = ThreadState(), patience
        self._fork, self._is_inherited = threading.Lock(), False
        self._inherited: list[Any] = []
        _of_process.add(self)

    def note_fork(self) -> None:
        """Open new connections at the next use, because this is a forked process."""
        self._fork, self._is_inherited = threading.Lock(), True

    @property
    def in_use(self) -> int:
        """The number of the pool's connections that threads use at this moment."""
        return len(self._live()._in_use)  # the library has no other name for them

    def close(self) -> None:
        """Close every connection of this process."""
        self._live().close_all()
        if self._readers is not None:
            self._readers.close()

    def _live(self) -> Any:
        """Return the pool of this process; after a fork, make a new one."""
        if self._is_inherited:
            with self._fork:
                if self._is_inherited:
                    self._inherited += self._pool, self._state, self._readers
                    self._pool, self._readers = self._make()
                    self._state = ThreadState()
                    self._is_inherited = False
        return self._pool


def _of_file(url: str, known: KnownFile, synchronous: str, pool: int, patience: float) -> Opened:
    path = file_of(url)
    return sqlite(path, known, synchronous, pool, patience), Readers(path, known, patience)


def _of_server(url: str, pool: int, patience: float) -> Opened:
    return postgresql(url, pool, patience), None


_of_process: weakref.WeakSet[ProcessConnections] = weakref.WeakSet()


def _note_fork() -> None:
    for connections in _of_process:
        connections.note_fork()


os.register_at_fork(after_in_child=_note_fork)
