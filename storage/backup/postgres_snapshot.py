"""A snapshot of a PostgreSQL database: a read-only transaction."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from typing import Any

import psycopg2
from psycopg2.extensions import ISOLATION_LEVEL_REPEATABLE_READ

from storage.backup.snapshot import Snapshot, TableFacts, quote

AT_ONCE = 500
TABLES = """
SELECT c.relname FROM pg_class c WHERE c.relnamespace = CAST(current_schema() AS regnamespace)
    AND c.relkind = 'r' ORDER BY c.relname"""
COLUMNS = """
SELECT c.relname, a.attname, a.attidentity <> '' FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
WHERE c.relnamespace = CAST(current_schema() AS regnamespace) AND c.relkind = 'r' AND a.attnum > 0
    AND NOT a.attisdropped ORDER BY c.relname, a.attnum"""
KEYS = """
SELECT c.relname, a.attname FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
CROSS JOIN LATERAL unnest(i.indkey) WITH ORDINALITY AS k(number, place)
JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.number
WHERE i.indisprimary AND c.relnamespace = CAST(current_schema() AS regnamespace)
ORDER BY c.relname, k.place"""
PARENTS = """
SELECT DISTINCT c.relname, p.relname FROM pg_constraint f JOIN pg_class c ON c.oid = f.conrelid
JOIN pg_class p ON p.oid = f.confrelid
WHERE f.contype = 'f' AND c.relnamespace = CAST(current_schema() AS regnamespace)"""
SEQUENCE = "SELECT pg_get_serial_sequence(%s, %s)"


class PostgresSnapshot(Snapshot):
    """A transaction of a server; writers are not blocked."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    def facts(self) -> Sequence[TableFacts]:
        columns, keys, parents = (self._by_table(sql) for sql in (COLUMNS, KEYS, PARENTS))
        return [
            TableFacts(
                name,
                [row[0] for row in columns[name]],
                [row[0] for row in keys[name] or columns[name]],
                [row[0] for row in parents[name]],
                self._last(name, [row[0] for row in columns[name] if row[1]]),
            )
            for name in sorted(columns)
        ]

    def rows(self, sql: str) -> Iterator[tuple[Any, ...]]:
        with closing(self._connection.cursor("rows")) as cursor:
            cursor.itersize = AT_ONCE
            cursor.execute(sql)
            yield from cursor

    def lock(self) -> None:
        """Lock the schema of all tables during the snapshot; their rows may change."""
        names = [quote(name) for (name,) in self.rows(TABLES)]
        if names:
            self._one(f"LOCK TABLE {', '.join(names)} IN ACCESS SHARE MODE")

    def _by_table(self, sql: str) -> defaultdict[str, list[tuple[Any, ...]]]:
        found: defaultdict[str, list[tuple[Any, ...]]] = defaultdict(list)
        for name, *rest in self.rows(sql):
            found[name].append(tuple(rest))
        return found

    def _last(self, table: str, numbered: Sequence[str]) -> int | None:
        if not numbered:
            return None
        (sequence,) = self._one(SEQUENCE, quote(table), numbered[0])
        last, is_given = self._one(f"SELECT last_value, is_called FROM {sequence}")
        return int(last) if is_given else 0

    def _one(self, sql: str, *values: str) -> Any:
        with self._connection.cursor() as cursor:
            cursor.execute(sql, values)
            return cursor.fetchone() if cursor.description else None


@contextmanager
def postgres_snapshot(url: str) -> Iterator[PostgresSnapshot]:
    """Open a snapshot of a database."""
    connection = psycopg2.connect(url, application_name="curlew backup", connect_timeout=5)
    try:
        connection.set_session(isolation_level=ISOLATION_LEVEL_REPEATABLE_READ, readonly=True)
        snapshot = PostgresSnapshot(connection)
        snapshot.lock()
        yield snapshot
    finally:
        connection.close()
