"""Snapshots of a database by its URL, and those of SQLite."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import psycopg2

from chains.files.keeper import keeper_of
from storage.backup.postgres_snapshot import postgres_snapshot
from storage.backup.snapshot import Snapshot, TableFacts
from storage.database.errors import meaning
from storage.database.sqlite import file_of, open_files

TABLES = "SELECT name, sql FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite^_%' ESCAPE '^'"
PATIENCE = 60.0


class SqliteSnapshot(Snapshot):
    """A transaction of an SQLite file; writers are not blocked."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def facts(self) -> Sequence[TableFacts]:
        return [self._table(name, sql) for name, sql in self.rows(TABLES)]

    def rows(self, sql: str) -> Iterator[tuple[Any, ...]]:
        return iter(self._connection.execute(sql))

    def _table(self, name: str, sql: str) -> TableFacts:
        found = self._connection.execute("SELECT name, pk FROM pragma_table_info(?)", (name,)).fetchall()
        columns = [column for column, _ in found]
        keys = [column for column, place in sorted(found, key=lambda one: one[1]) if place]
        links = 'SELECT DISTINCT "table" FROM pragma_foreign_key_list(?)'
        parents = [parent for (parent,) in self._connection.execute(links, (name,))]
        return TableFacts(name, columns, keys or columns, parents, self._last(name, sql))

    def _last(self, name: str, sql: str) -> int | None:
        if "AUTOINCREMENT" not in sql.upper():
            return None
        found = self._connection.execute("SELECT seq FROM sqlite_sequence WHERE name = ?", (name,)).fetchone()
        return int(found[0]) if found else 0


@contextmanager
def sqlite_snapshot(path: str) -> Iterator[SqliteSnapshot]:
    """Open a snapshot of a file."""
    with keeper_of(path).acting():
        connection = sqlite3.connect(path, timeout=PATIENCE, isolation_level=None)
        connection.execute("PRAGMA query_only = 1")
        connection.execute("PRAGMA temp_store = memory")
        open_files(connection)
    try:
        connection.execute("BEGIN")
        open_files(connection)
        yield SqliteSnapshot(connection)
    finally:
        connection.close()


@contextmanager
def open_snapshot(url: str) -> Iterator[Snapshot]:
    """Open a snapshot of a database. Raises Unavailable when it is away."""
    try:
        if url.startswith("sqlite:"):
            with sqlite_snapshot(file_of(url)) as snapshot:
                yield snapshot
        else:
            with postgres_snapshot(url) as snapshot:
                yield snapshot
    except (sqlite3.Error, psycopg2.Error) as error:
        raise meaning(error) from error
