"""Rows of a backup into an empty PostgreSQL database, all in one transaction."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from itertools import islice
from typing import Any

import psycopg2
from psycopg2.extras import execute_values

from storage import migrations
from storage.backup.backup_scan import TablePart
from storage.backup.row_loader import AT_ONCE, RowLoader, require_columns
from storage.backup.snapshot import quote
from storage.backup.tar_format import DamagedBackup
from storage.database.database import MIGRATION_LOCK
from storage.database.postgresql import postgresql
from vfs.errors import Conflict

COLUMNS = """
SELECT a.attname, CAST(a.atttypid AS regtype)::text FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
WHERE c.relnamespace = CAST(current_schema() AS regnamespace) AND c.relkind = 'r' AND c.relname = %s
    AND a.attnum > 0 AND NOT a.attisdropped"""
TABLES = """
SELECT c.relname FROM pg_class c WHERE c.relkind = 'r'
    AND c.relnamespace = CAST(current_schema() AS regnamespace)"""
PATIENCE = 60.0
NUMBERED = "SELECT pg_get_serial_sequence(%s, %s)"


class PostgresLoader(RowLoader):
    """Fills an empty database; if the process ends, it stays empty."""

    def __init__(self, url: str) -> None:
        self._pool = postgresql(url, 1, PATIENCE)
        self._block: AbstractContextManager[Any] | None = None
        self._types: dict[str, dict[str, str]] = {}

    def begin(self, schema: Sequence[str]) -> None:
        self._block = self._pool.block()
        self._block.__enter__()
        self._ask("SELECT pg_advisory_xact_lock(%s)", MIGRATION_LOCK)
        if found := self._ask(TABLES):
            raise Conflict(f"the database is not empty: it has the table {found[0][0]}; name an empty one")
        migrations.apply(self._pool, schema)
        tables = [quote(table) for (table,) in self._ask(TABLES)]
        for table in tables:
            self._ask(f"ALTER TABLE {table} DISABLE TRIGGER USER")
        if tables:
            self._ask(f"TRUNCATE {', '.join(tables)} RESTART IDENTITY")

    def load(self, part: TablePart) -> None:
        types = self._types.get(part.table)
        if types is None:
            types = self._types[part.table] = dict(self._ask(COLUMNS, part.table))
            require_columns(part, list(types))
        require_columns(part, list(types))
        flags = [place for place, name in enumerate(part.columns) if types[name] == "boolean"]
        names = ", ".join(map(quote, part.columns))
        try:
            with self._cursor() as cursor:
                while some := list(islice(part.rows, AT_ONCE)):
                    for row in some:
                        for place in flags:
                            row[place] = None if row[place] is None else bool(row[place])
                    execute_values(cursor, f"INSERT INTO {quote(part.table)} ({names}) VALUES %s", some)
        except (psycopg2.IntegrityError, psycopg2.DataError, psycopg2.ProgrammingError, ValueError) as error:
            said = str(error).strip().partition("\n")[0]
            raise DamagedBackup(f"rows of the table {part.table} contradict each other: {said}") from None
        self._number(part, types)

    def _number(self, part: TablePart, types: dict[str, str]) -> None:
        """Continue the numbering, so that no number is assigned twice."""
        for name in part.columns:
            if types[name] not in ("bigint", "integer"):
                continue
            ((sequence,),) = self._ask(NUMBERED, quote(part.table), name)
            if sequence is None:
                continue
            ((most,),) = self._ask(f"SELECT MAX({quote(name)}) FROM {quote(part.table)}")
            if last := max(most or 0, part.last or 0):
                self._ask("SELECT setval(CAST(%s AS regclass), %s)", sequence, last)

    def finish(self) -> None:
        for (table,) in self._ask(TABLES):
            self._ask(f"ALTER TABLE {quote(table)} ENABLE TRIGGER USER")
        migrations.apply(self._pool)

    def commit(self) -> None:
        if self._block is not None:
            block, self._block = self._block, None
            block.__exit__(None, None, None)

    def close(self) -> None:
        if self._block is not None:
            error = DamagedBackup("the restore was given up")
            self._block.__exit__(type(error), error, None)
        self._pool.close_all()

    def _ask(self, sql: str, *values: Any) -> list[Any]:
        with self._cursor() as cursor:
            cursor.execute(sql, values or None)
            return list(cursor.fetchall()) if cursor.description else []

    def _cursor(self) -> Any:
        return self._pool.connection().cursor()
