"""Leader election among processes: by a file lock or an advisory lock of the database server."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import Any

import psycopg2

from chains.files.folder_lock import take_lock
from chains.files.keeper import keeper_of
from storage.database.postgresql import WATCHED_LINK
from vfs.errors import Unavailable

KEY = 0x6C656164  # "lead" as a number: the key of PostgreSQL's advisory lock


class FileLead:
    """Leader election among the processes of a host, by a file lock (chains.schedules.timetable.Lead).

    The lock is released when its process ends, for any reason.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: int | None = None

    def mine(self) -> bool:
        """Return whether this process is the leader, after trying to become it."""
        if self._file is not None:
            return True
        how = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        with keeper_of(self._path.parent).acting():
            file = os.open(self._path, how, 0o600)
        if not take_lock(file):
            os.close(file)
            return False
        self._file = file
        return True

    def release(self) -> None:
        """Release the lock."""
        if self._file is not None:
            os.close(self._file)
            self._file = None


class PostgresLead:
    """Leader election among the processes of one database (chains.schedules.timetable.Lead).

    The leader holds an advisory lock on a separate connection. The lock ends with the connection. It is
    requested only once per connection, because such locks nest.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self._connection: Any = None
        self._held = False

    def mine(self) -> bool:
        """Return whether this process is the leader, after trying to become it. Raises Unavailable."""
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
        """Release the lock and close the connection."""
        connection, self._connection, self._held = self._connection, None, False
        if connection is None:
            return
        with contextlib.suppress(psycopg2.Error):
            # The server may notice a closed connection only later.
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock_all()")
            connection.close()
