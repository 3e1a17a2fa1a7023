"""The change signal that reaches all processes of a database: by pipes, or PostgreSQL's LISTEN and NOTIFY."""

from __future__ import annotations

import contextlib
import os
import select
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import psycopg2
import psycopg2.extensions

from storage.database.database import Database
from storage.database.postgresql import WATCHED_LINK
from storage.signals.change_signal import ChangeSignal, PipeSignal
from vfs.errors import Unavailable

CHANNEL = "curlew"
RECONNECT_SECONDS = (0.05, 0.2, 0.5, 1.0, 2.0)
FIRST_SECONDS = 5


class PostgresSignal(ChangeSignal):
    """Wake-ups between processes by LISTEN and NOTIFY, on a separate connection per process.

    `notify(channel, topic)` makes PostgreSQL send it with the commit of the caller's transaction. While the
    listening connection is lost, no signal arrives. When it is back, all callers are woken.
    """

    def __init__(self, url: str, notify: Callable[[str, str], object]) -> None:
        self._url = url
        self._notify = notify
        self._lock = threading.Lock()
        self._listening: _ListenThread | None = None
        super().__init__()

    def signal(self, topic: str) -> None:
        """Wake the callers that wait for the topic in any process, with the commit.

        Raises Unavailable while the database is unreachable; then only this process is woken.
        """
        try:
            self._notify(CHANNEL, topic)
        except Unavailable:
            self._set(topic)
            raise

    def close(self) -> None:
        """Close the listening connection."""
        with self._lock:
            if self._listening is not None and self._pid == os.getpid():
                self._listening.stop()
                self._listening = None

    def _open(self) -> None:
        if self._listening is not None and self._pid == os.getpid():
            return
        with self._lock:
            if self._pid != os.getpid():
                self._listening = None
                self._start()
            if self._listening is None:
                self._listening = _ListenThread(self._url, self._set, self._set_all)
            listener = self._listening
        listener.ready.wait(FIRST_SECONDS)


class _ListenThread:
    """The thread that holds the listening connection and reopens it when it is lost."""

    def __init__(self, url: str, received: Callable[[str], None], missed: Callable[[], None]) -> None:
        self._url = url
        self._received = received
        self._missed = missed
        self._read, self._write = os.pipe2(os.O_CLOEXEC)
        self.ready = threading.Event()
        threading.Thread(target=self._run, name="signals", daemon=True).start()

    def stop(self) -> None:
        """End the thread and its connection."""
        self.ready.set()
        os.write(self._write, b"\0")

    def _run(self) -> None:
        failures = 0
        while True:
            try:
                connection = psycopg2.connect(self._url, application_name="curlew signals", **WATCHED_LINK)
            except psycopg2.OperationalError:
                if self._pause(RECONNECT_SECONDS[min(failures, len(RECONNECT_SECONDS) - 1)]):
                    break
                failures += 1
                continue
            failures = 0
            with contextlib.closing(connection):
                if self._receive(connection):
                    break
        os.close(self._read)
        os.close(self._write)

    def _receive(self, connection: Any) -> bool:
        """Pass on the notifications. Return True after a request to stop, False if the connection is lost."""
        connection.set_isolation_level(psycopg2.extensions.ISOLATION_LEVEL_AUTOCOMMIT)
        try:
            with connection.cursor() as cursor:
                cursor.execute(f"listen {CHANNEL}")
            self._missed()
            self.ready.set()
            while True:
                if self._read in _readable([connection, self._read]):
                    return True
                connection.poll()
                while connection.notifies:
                    self._received(connection.notifies.pop(0).payload)
        except psycopg2.Error:
            return False

    def _pause(self, seconds: float) -> bool:
        """Wait before the next try. Return True after a request to stop."""
        return bool(_readable([self._read], seconds))


def _readable(files: Sequence[Any], seconds: float | None = None) -> list[int]:
    """Return the readable descriptors, with any numbers: select(2) accepts none above 1,023."""
    waiting = select.poll()
    for file in files:
        waiting.register(file, select.POLLIN)
    return [number for number, _ in waiting.poll(None if seconds is None else seconds * 1000)]


def change_signal_of(database: Database, url: str, folder: Path) -> ChangeSignal:
    """Return the change signal of a database at `url`. That of SQLite has its pipes in `folder`."""
    if database.dialect == "sqlite":
        return PipeSignal(folder, database.after_commit)
    return PostgresSignal(url, database.signal)
