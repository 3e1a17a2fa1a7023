"""Rows of a backup into a new SQLite file, which is renamed at the end."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path

from chains.files.fsync import settle
from chains.files.keeper import keeper_of
from storage.backup.backup_scan import TablePart
from storage.backup.row_loader import AT_ONCE, RowLoader, require_columns
from storage.backup.snapshot import quote
from storage.backup.tar_format import DamagedBackup
from storage.database.database import Database
from storage.database.sqlite import open_files

TABLES = "SELECT name FROM sqlite_master WHERE type = 'table'"
TRIGGERS = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger'"


class SqliteLoader(RowLoader):
    """Fills `draft`, a new SQLite file, and renames it to `path`."""

    def __init__(self, path: Path, draft: Path) -> None:
        self._path = path
        self._draft = draft
        self._keeper = keeper_of(draft)
        self._rows: sqlite3.Connection | None = None
        self._triggers: list[str] = []
        self._columns: dict[str, list[str]] = {}

    def begin(self, schema: Sequence[str]) -> None:
        self._migrate(schema)
        with self._keeper.acting():
            self._rows = rows = sqlite3.connect(self._draft, isolation_level=None)
            rows.execute("PRAGMA synchronous = off")
            rows.execute("PRAGMA temp_store = memory")
            open_files(rows)
        rows.execute("BEGIN IMMEDIATE")
        found = rows.execute(TRIGGERS).fetchall()
        self._triggers = [sql for _, sql in found]
        for name, _ in found:
            rows.execute(f"DROP TRIGGER {quote(name)}")
        for (table,) in rows.execute(TABLES).fetchall():
            rows.execute(f"DELETE FROM {quote(table)}")

    def load(self, part: TablePart) -> None:
        rows = self._open()
        if part.table not in self._columns:
            found = rows.execute("SELECT name FROM pragma_table_info(?)", (part.table,))
            require_columns(part, [name for (name,) in found])
            self._columns[part.table] = list(part.columns)
            if part.last is not None:
                self._number(part.table, part.last)
        require_columns(part, self._columns[part.table])
        names = ", ".join(map(quote, part.columns))
        sql = f"INSERT INTO {quote(part.table)} ({names}) VALUES ({', '.join('?' * len(part.columns))})"
        try:
            while some := list(islice(part.rows, AT_ONCE)):
                rows.executemany(sql, some)
        except (sqlite3.IntegrityError, sqlite3.InterfaceError, OverflowError) as error:
            raise DamagedBackup(f"rows of the table {part.table} contradict each other: {error}") from None

    def _number(self, table: str, last: int) -> None:
        """Continue the numbering, so that no number is assigned twice."""
        rows = self._open()
        rows.execute("DELETE FROM sqlite_sequence WHERE name = ?", (table,))
        rows.execute("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", (table, last))

    def finish(self) -> None:
        rows = self._open()
        for sql in self._triggers:
            rows.execute(sql)
        if odd := rows.execute("PRAGMA foreign_key_check").fetchone():
            raise DamagedBackup(f"a row of the table {odd[0]} names one of {odd[2]} that is not there")
        rows.execute("COMMIT")
        rows.close()
        self._rows = None
        self._migrate(None)

    def commit(self) -> None:
        with self._keeper.acting():
            settle(self._draft)
            os.rename(self._draft, self._path)
            settle(self._path.parent)

    def close(self) -> None:
        if self._rows is not None:
            self._rows.close()
        with self._keeper.acting():
            for end in ("", "-wal", "-shm"):
                with suppress(FileNotFoundError):
                    os.unlink(f"{self._draft}{end}")

    def _migrate(self, only: Sequence[str] | None) -> None:
        database = Database(f"sqlite://{_quoted_path(self._draft)}", synchronous="off")
        try:
            database.migrate(only)
        finally:
            database.close()

    def _open(self) -> sqlite3.Connection:
        if self._rows is None:
            raise DamagedBackup("rows come before the head of the backup")
        return self._rows


def _quoted_path(path: Path) -> str:
    """Return a path quoted for a URL."""
    return str(path.absolute()).replace("%", "%25").replace("?", "%3F").replace("#", "%23")
