"""Access to the database: execution of statements in transactions, and translation of drivers' errors."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Sequence
from contextlib import nullcontext
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, TypeVar

from storage import migrations
from storage.database.columns import Cells, TableColumns
from storage.database.errors import FOREIGN
from storage.database.statement_log import Params
from storage.database.transactions import Transactions

STATEMENTS = 4096


@lru_cache(STATEMENTS)
def only_reads(sql: str) -> bool:
    """Return whether a statement is a SELECT."""
    return sql.lstrip()[:6].upper() == "SELECT"


T = TypeVar("T")
MIGRATION_LOCK = 0x6375726C6577  # "curlew" as a number: the key of PostgreSQL's advisory lock


class Database(Transactions):
    """A database for all threads of a process: `sqlite:///abs/path` or `postgresql://…`.

    Statements are constants with `:name` for each parameter, or `?` in those that `several` writes. Raises
    Unavailable when the database is unreachable or locked for too long, and NoSpace when its disk is full.
    Callers handle peewee's IntegrityError. A forked process opens its own connections.
    """

    def rows(self, sql: str, *values: Any, **named: Any) -> list[Cells]:
        """Execute a statement and return all rows."""
        params = named or values
        if self._readers is not None and not self._state.blocks:
            self._live()
            if only_reads(sql):
                try:
                    return self._readers.rows(sql, params)
                except sqlite3.Error:  # _execute repeats the statement and reports the error
                    pass
        return self._execute(sql, params, lambda cursor: cursor.fetchall())

    def row(self, sql: str, *values: Any, **named: Any) -> Cells | None:
        """Execute a statement and return the first row, or None."""
        found = self.rows(sql, *values, **named)
        return found[0] if found else None

    def value(self, sql: str, **named: Any) -> Any:
        """Execute a statement and return the first column of the first row, or None."""
        found = self.rows(sql, **named)
        return found[0][0] if found else None

    def one(self, columns: TableColumns[T], sql: str, /, **named: Any) -> T | None:
        """Execute a statement and return the value in the columns of the first row, or None."""
        found = self.rows(sql, **named)
        return columns.read(found[0]) if found else None

    def all(self, columns: TableColumns[T], sql: str, /, **named: Any) -> list[T]:
        """Execute a statement and return the values in the columns of all rows."""
        return [columns.read(row) for row in self.rows(sql, **named)]

    def run(self, sql: str, *values: Any, **named: Any) -> int:
        """Execute a statement and return the number of rows that it affected."""
        return self._execute(sql, named or values, lambda cursor: int(cursor.rowcount))

    def many(self, sql: str, params: Sequence[Params]) -> None:
        """Execute once for each mapping of parameters, in the open transaction or a new one."""
        with nullcontext() if self._live().in_transaction() else self.atomic():
            try:
                self._pool.statements(sql, params)
            except FOREIGN as error:
                self.give_up(error)

    def signal(self, channel: str, topic: str) -> None:
        """Notify the listeners of a channel (PostgreSQL): on commit, or at once outside a transaction."""
        if self._live().in_transaction():
            self._state.signals.append((channel, topic))
        else:
            self.rows("SELECT pg_notify(:channel, :topic)", channel=channel, topic=topic)

    def check(self) -> str:
        """Query the database and return the name of its dialect. Raises Unavailable."""
        self.row("SELECT 1")
        return self.dialect

    def migrate(self, only: Collection[str] | None = None) -> None:
        """Migrate the schema under a lock. `only` restricts the migrations that are applied.

        Raises Conflict when a newer release wrote it.
        """
        with self.atomic():
            if self.dialect == "postgresql":
                self.run("SET LOCAL lock_timeout = '60s'")
                self.rows("SELECT pg_advisory_xact_lock(:key)", key=MIGRATION_LOCK)
            migrations.apply(self._pool, only)

    @property
    def reflection(self) -> Any:
        """Peewee's database, whose `get_tables`, `get_columns` and others describe the schema."""
        return self._live()

    def has_schema(self) -> bool:
        """Return whether the database has a schema of any release."""
        with self.atomic():
            return migrations.has_history(self._pool)

    def lacking(self) -> list[str]:
        """Return the names of the migrations that are still to be applied to an older schema."""
        with self.atomic():
            return migrations.lacking(self._pool)

    def _execute(self, sql: str, params: Params, fetch: Callable[[Any], T]) -> T:
        pool = self._live()
        try:
            try:
                return fetch(pool.statement(sql, params))
            except FOREIGN as error:
                if not (self._discard(error) and only_reads(sql)):
                    raise
                return fetch(pool.statement(sql, params))
        except FOREIGN as error:
            self.give_up(error)
        finally:
            if not self._state.holds:
                self._give_back()


FIRST_APPLIED = "SELECT MIN(applied) FROM schema_migration"


def installed_on(database: Database) -> datetime:
    """Return the time of the first migration, aware, in UTC."""
    first = database.value(FIRST_APPLIED)
    moment = first if isinstance(first, datetime) else datetime.fromisoformat(first)
    return moment.replace(tzinfo=UTC)
