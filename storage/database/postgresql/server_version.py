"""The version of a PostgreSQL database, read from its transaction snapshots."""

from __future__ import annotations

import os

import psycopg2

from storage.database.postgresql.prepared import Connection
from storage.database.postgresql.server_pool import WATCHED_LINK
from storage.database.postgresql.server_watch import watch_of
from storage.database.versions import VersionReader

CONNECT_SECONDS = 5
# The snapshot changes as soon as a writing transaction of any connection has ended.
SNAPSHOT = "PREPARE version AS SELECT CAST(pg_current_snapshot() AS TEXT)"


class ServerVersion(VersionReader):
    """The version of a PostgreSQL database: the transaction snapshot of a statement."""

    def __init__(self, url: str, patience: float) -> None:
        super().__init__()
        self._url, self._patience = url, patience

    def _connect(self) -> Connection:
        connection: Connection = psycopg2.connect(
            self._url, connect_timeout=CONNECT_SECONDS, application_name="curlew version",
            connection_factory=Connection, **WATCHED_LINK,
        )  # fmt: skip
        watch_of(os.getpid()).add(connection, self._url, self._patience)
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
