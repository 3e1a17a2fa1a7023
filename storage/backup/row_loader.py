"""The loader of a backup's rows into an empty database: all of them, or none."""

from __future__ import annotations

import os
import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from itertools import islice
from pathlib import Path
from typing import Any

import peewee
import psycopg2

from chains.files.fsync import settle
from chains.files.keeper import keeper_of
from storage.backup.backup_scan import TablePart
from storage.backup.snapshot import quote
from storage.backup.tar_format import DamagedBackup
from storage.database.database import MIGRATION_LOCK, Database
from vfs.errors import Conflict

AT_ONCE = 500
PATIENCE = 60.0
UNFIT = (
    peewee.IntegrityError, sqlite3.InterfaceError, sqlite3.ProgrammingError, psycopg2.DataError,
    psycopg2.ProgrammingError, OverflowError, ValueError,
)  # fmt: skip
"""The errors of rows that their table does not accept."""


class RowLoader(ABC):
    """A loader that fills an empty database in one transaction. Nothing is visible before `commit`."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._transaction = ExitStack()
        self._columns: dict[str, Mapping[str, Any]] = {}
        self._last: dict[str, int] = {}

    def begin(self, schema: Sequence[str]) -> None:
        """Make the tables of these migrations, without rows."""
        self._transaction.enter_context(self._database.atomic())
        self._prepare()
        self._database.migrate(schema)
        reflection = self._database.reflection
        for table in reflection.get_tables():
            self._columns[table] = {column.name: column for column in reflection.get_columns(table)}
        self._clear()

    def load(self, part: TablePart) -> None:
        """Store rows as they are. Raises DamagedBackup when they do not fit the tables."""
        columns = self._columns.get(part.table, {})
        if sorted(part.columns) != sorted(columns):
            raise DamagedBackup(
                f"the table {part.table} has other columns in the schema that the backup names"
            )
        self._last[part.table] = part.last or 0
        flags = [place for place, name in enumerate(part.columns) if columns[name].data_type == "boolean"]
        names = ", ".join(map(quote, part.columns))
        sql = f"INSERT INTO {quote(part.table)} ({names}) VALUES ({', '.join('?' * len(part.columns))})"
        try:
            while some := list(islice(part.rows, AT_ONCE)):
                for row in some:
                    for place in flags:
                        row[place] = None if row[place] is None else bool(row[place])
                self._database.many(sql, some)
        except UNFIT as error:
            said = str(error.args[0] if error.args else error).strip().partition("\n")[0]
            raise DamagedBackup(f"rows of the table {part.table} contradict each other: {said}") from None

    def finish(self) -> None:
        """Check foreign keys, and migrate the tables to the current schema. Raises DamagedBackup."""
        self._settle()
        self._database.migrate()

    def commit(self) -> None:
        """Make the database visible, permanently."""
        self._transaction.close()

    def close(self) -> None:
        """Remove everything, unless it was committed."""
        error = DamagedBackup("the restore was given up")
        self._transaction.__exit__(type(error), error, None)
        self._database.close()

    @abstractmethod
    def _prepare(self) -> None:
        """Begin the transaction in an empty database."""

    @abstractmethod
    def _clear(self) -> None:
        """Remove the rows that migrations have stored, and disable triggers."""

    @abstractmethod
    def _settle(self) -> None:
        """Enable triggers, and continue the numbering, so that no number is assigned twice."""


class PostgresLoader(RowLoader):
    """A loader of an empty PostgreSQL database, which stays empty if the process is interrupted."""

    def __init__(self, url: str) -> None:
        super().__init__(Database(url, pool=1, patience=PATIENCE))

    def _prepare(self) -> None:
        self._database.rows("SELECT pg_advisory_xact_lock(:key)", key=MIGRATION_LOCK)
        if found := self._database.reflection.get_tables():
            raise Conflict(f"the database is not empty: it has the table {found[0]}; name an empty one")

    def _clear(self) -> None:
        self._set_triggers("DISABLE")
        if self._columns:
            self._database.run(f"TRUNCATE {', '.join(map(quote, self._columns))} RESTART IDENTITY")

    def _settle(self) -> None:
        for table, last in self._last.items():
            for name in (name for name, column in self._columns[table].items() if column.identity):
                most = self._database.value(f"SELECT max({quote(name)}) FROM {quote(table)}")
                if number := max(most or 0, last):
                    sequence = "pg_get_serial_sequence(:table, :name)"
                    words = {"table": quote(table), "name": name, "number": number}
                    self._database.rows(f"SELECT setval({sequence}, :number)", **words)
        self._set_triggers("ENABLE")

    def _set_triggers(self, state: str) -> None:
        for table in self._columns:
            self._database.run(f"ALTER TABLE {quote(table)} {state} TRIGGER USER")


RAISE = "UPDATE sqlite_sequence SET seq = max(seq, :last) WHERE name = :table"
NUMBER = "INSERT INTO sqlite_sequence (name, seq) VALUES (:table, :last)"


class SqliteLoader(RowLoader):
    """A loader that fills `draft`, a new SQLite file, and renames it to `path`."""

    def __init__(self, path: Path, draft: Path) -> None:
        super().__init__(Database(f"sqlite://{_quoted_path(draft)}", synchronous="off"))
        self._path = path
        self._draft = draft
        self._keeper = keeper_of(draft)
        self._triggers: list[str] = []

    def finish(self) -> None:
        super().finish()
        super().commit()
        self._database.close()

    def commit(self) -> None:
        with self._keeper.acting():
            settle(self._draft)
            os.rename(self._draft, self._path)
            settle(self._path.parent)

    def close(self) -> None:
        super().close()
        with self._keeper.acting():
            for end in ("", "-wal", "-shm"):
                with suppress(FileNotFoundError):
                    os.unlink(f"{self._draft}{end}")

    def _prepare(self) -> None:
        self._database.run("PRAGMA defer_foreign_keys = 1")

    def _clear(self) -> None:
        for name, sql in self._database.rows("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'"):
            self._triggers.append(sql)
            self._database.run(f"DROP TRIGGER {quote(name)}")
        for table in self._columns:
            self._database.run(f"DELETE FROM {quote(table)}")

    def _settle(self) -> None:
        # SQLite itself continues the numbering of tables with rows.
        for table, last in self._last.items():
            if last and not self._database.run(RAISE, table=table, last=last):
                self._database.run(NUMBER, table=table, last=last)
        for sql in self._triggers:
            self._database.run(sql)
        for child, _, parent, _ in self._database.rows("PRAGMA foreign_key_check"):
            raise DamagedBackup(f"a row of the table {child} names one of {parent} that is not there")


def _quoted_path(path: Path) -> str:
    """Return a path quoted for a URL."""
    return str(path.absolute()).replace("%", "%25").replace("?", "%3F").replace("#", "%23")
