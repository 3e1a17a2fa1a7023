"""The lead of one process among many: a lock of a file, or of the database server."""

from __future__ import annotations

import contextlib
import fcntl
import os
from pathlib import Path
from typing import Any

import psycopg2

from chains.files.keeper import keeper_of
from storage.database.postgresql.server_pool import WATCHED_LINK
from vfs.errors import Unavailable

KEY = 0x6C656164  # "lead" as a number: the key of PostgreSQL's advisory lock


class FileLead:
    """The leader among the processes of a host: it has the lock of a file (chains.schedules.timetable).

    The lock goes with the process that has it, however it ends.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: int | None = None

    def mine(self) -> bool:
        """Whether this process has the lead."""
        if self._file is not None:
            return True
        how = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        with keeper_of(self._path.parent).acting():
            file = os.open(self._path, how, 0o600)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(file)
            return False
        self._file = file
        return True

    def release(self) -> None:
        """Give the lead up."""
        if self._file is not None:
            os.close(self._file)
            self._file = None


class PostgresLead:
    """The lead among the processes of one database (chains.schedules.timetable.Lead).

    The process that has its advisory lock, on a connection of its own, leads.
    The lock goes with the connection. It is asked for once on each: such locks nest.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self._connection: Any = None
        self._held = False

    def mine(self) -> bool:
        """Whether this process has the lead. Raises Unavailable while the server is away."""
        try:
            if self._connection is None:
                self._connect()
            with self._connection.cursor() as cursor:
                cursor.execute("SELECT 1" if self._held else f"SELECT pg_try_advisory_lock({KEY})")
                self._held = self._held or cursor.fetchone()[0]
        except psycopg2.Error as error:
            self.release()
            raise Unavailable("the database is away: nothing scheduled starts before it is back") from error
        return self._held

    def _connect(self) -> None:
        self._connection = psycopg2.connect(
            self._url, application_name="curlew lead", connect_timeout=5, **WATCHED_LINK
        )
        self._connection.autocommit = True

    def release(self) -> None:
        """Give the lead up."""
        connection, self._connection, self._held = self._connection, None, False
        if connection is None:
            return
        with contextlib.suppress(psycopg2.Error):
            # The server would notice a closed connection in its own time.
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock_all()")
            connection.close()
