"""The version of an SQLite file, which SQLite counts."""

from __future__ import annotations

import sqlite3

from chains.files.keeper import keeper_of
from storage.database.sqlite.known_file import KnownFile
from storage.database.versions import VersionReader


class FileVersion(VersionReader):
    """The version of an SQLite file: another number after a commit of any other connection of any process."""

    def __init__(self, path: str, known: KnownFile) -> None:
        super().__init__()
        self._path, self._known = path, known
        self._keeper = keeper_of(self._path)

    def _connect(self) -> sqlite3.Connection:
        self._known.require()
        with self._keeper.acting():
            connection = sqlite3.connect(self._path, timeout=0, isolation_level=None, check_same_thread=False)
            connection.execute("PRAGMA query_only = 1")
        return connection

    def _ask(self, connection: sqlite3.Connection) -> int:
        return int(connection.execute("PRAGMA data_version").fetchone()[0])
