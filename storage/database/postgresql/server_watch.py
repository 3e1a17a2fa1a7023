"""ServerWatch: ends the requests of this process to a PostgreSQL server that no longer answers."""

from __future__ import annotations

import os
import socket
import threading
import time
import weakref
from contextlib import suppress
from functools import lru_cache

import psycopg2

from storage.database.postgresql.prepared import Connection

LOOK_SECONDS = 1.0
PROBE_SECONDS = 5


class ServerWatch:
    """Checks the running statements and disconnects those whose server is frozen.

    A slow statement alone does not mean that the server is frozen: if the server answers another connection
    meanwhile, the statement continues.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._connections: weakref.WeakSet[Connection] = weakref.WeakSet()
        self._is_looking = False

    def add(self, connection: Connection, url: str, patience: float) -> None:
        """Watch a connection: statements that take longer than `patience` seconds are checked."""
        connection.watched = url, patience
        with self._lock:
            self._connections.add(connection)
            if not self._is_looking:
                self._is_looking = True
                threading.Thread(target=self._loop, name="server-watch", daemon=True).start()

    def _loop(self) -> None:
        while self._look():
            time.sleep(LOOK_SECONDS)

    def _look(self) -> bool:
        """Check once; return False when no connection is left to watch."""
        with self._lock:
            held = [one for one in self._connections if not one.closed]
            self._is_looking = bool(held)
        late: dict[str, list[tuple[Connection, float]]] = {}
        for one in held:
            url, patience, since = *one.watched, one.since
            if since is not None and time.monotonic() - since > patience:
                late.setdefault(url, []).append((one, since))
        for url, waiting in late.items():
            is_frozen = not answers(url)
            for one, since in waiting:
                if one.since == since:
                    cut(one) if is_frozen else one.begin()
        return bool(held)


def answers(url: str) -> bool:
    """Return whether a server answers a new connection in time, even with an error."""
    began = time.monotonic()
    try:
        psycopg2.connect(url, connect_timeout=PROBE_SECONDS, application_name="curlew watch").close()
    except psycopg2.Error:
        return time.monotonic() - began < PROBE_SECONDS - 1
    return True


def cut(connection: Connection) -> None:
    """Shut down the socket of a connection, so that its waiting thread gets an error."""
    with suppress(OSError, psycopg2.Error), socket.socket(fileno=os.dup(connection.fileno())) as link:
        link.shutdown(socket.SHUT_RDWR)


@lru_cache(maxsize=1)
def watch_of(process: int) -> ServerWatch:
    """Return the watch of a process; a forked process needs its own, as threads do not survive a fork.

    Two threads that call it at once may create two; each watches its own connections.
    """
    return ServerWatch()
