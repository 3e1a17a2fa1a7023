"""Snapshot: all tables of a database at one moment, while others continue to write."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Any

import peewee
from psycopg2.extensions import ISOLATION_LEVEL_REPEATABLE_READ

from chains.files.keeper import keeper_of
from storage.database.errors import FOREIGN, meaning
from storage.database.sqlite import file_of, open_files

HISTORY = "SELECT name FROM schema_migration ORDER BY name"
OF_A_PLACE = ("installation", "sqlite_")
"""Prefixes of the names of tables that are not copied: a restored database is another installation."""

SQLITE_ASSIGNED = "SELECT name, seq FROM sqlite_sequence WHERE seq > 0"
POSTGRES_ASSIGNED = """
SELECT c.relname, pg_sequence_last_value(s.seqrelid) FROM pg_sequence s
JOIN pg_depend d ON d.objid = s.seqrelid AND d.classid = 'pg_class'::regclass AND d.deptype = 'i'
JOIN pg_class c ON c.oid = d.refobjid WHERE c.relnamespace = CAST(current_schema() AS regnamespace)"""
AT_ONCE = 500
PATIENCE = 60.0


@dataclass(frozen=True, slots=True)
class TableFacts:
    """A table: its columns, its sort columns, the tables that it refers to, the last assigned number.

    `last` is None where the database has assigned no number.
    """

    name: str
    columns: Sequence[str]
    order: Sequence[str]
    parents: Sequence[str]
    last: int | None

    @property
    def query(self) -> str:
        """The query for all rows, in the same order on both databases."""
        columns, order = (", ".join(map(quote, names)) for names in (self.columns, self.order))
        return f"SELECT {columns} FROM {quote(self.name)} ORDER BY {order}"


class Snapshot:
    """A transaction that only reads. It does not block writers.

    `database` is peewee's, `assigned` the query for the last number that each table assigned, `cursor` the
    name of the cursors of a server.
    """

    def __init__(self, database: Any, assigned: str, *cursor: str) -> None:
        self._database = database
        self._assigned = assigned
        self._cursor = cursor

    def rows(self, sql: str) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of a query, a few at a time in memory."""
        with closing(self._database.connection().cursor(*self._cursor)) as cursor:
            if self._cursor:
                cursor.itersize = AT_ONCE
            cursor.execute(sql)
            yield from cursor

    def schema(self) -> list[str]:
        """Return the names of the applied migrations."""
        return [name for (name,) in self.rows(HISTORY)]

    def tables(self) -> list[TableFacts]:
        """Return all tables of a backup, each after those that it refers to."""
        last = dict(self.rows(self._assigned))
        names = (name for name in self._database.get_tables() if not name.startswith(OF_A_PLACE))
        return in_order({name: self._table(name, last.get(name)) for name in names})

    def _table(self, name: str, last: int | None) -> TableFacts:
        columns = [column.name for column in self._database.get_columns(name)]
        order = self._database.get_primary_keys(name) or columns
        parents = [link.dest_table for link in self._database.get_foreign_keys(name)]
        return TableFacts(name, columns, order, parents, last)


def in_order(tables: Mapping[str, TableFacts]) -> list[TableFacts]:
    """Return tables after those that they refer to, else by name."""
    found: dict[str, TableFacts] = {}
    while len(found) < len(tables):
        ready = (
            name
            for name in sorted(tables)
            if name not in found and set(tables[name].parents) - {name} <= found.keys()
        )
        name = next(ready, None) or min(tables.keys() - found.keys())
        found[name] = tables[name]
    return list(found.values())


def quote(name: str) -> str:
    """Quote the name of a table or column for a statement."""
    return '"' + name.replace('"', '""') + '"'


@contextmanager
def open_snapshot(url: str) -> Iterator[Snapshot]:
    """Open a snapshot of a database. Raises Unavailable when it is away."""
    try:
        with closing(_sqlite(url) if url.startswith("sqlite:") else _postgresql(url)) as database:
            if isinstance(database, peewee.SqliteDatabase):
                yield Snapshot(database, SQLITE_ASSIGNED)
            else:
                yield Snapshot(database, POSTGRES_ASSIGNED, "rows")
    except FOREIGN as error:
        raise meaning(error) from error


def _sqlite(url: str) -> Any:
    """Return peewee's database in a transaction of an SQLite file."""
    path = file_of(url)
    pragmas = {"query_only": 1, "temp_store": "memory"}
    database: Any = peewee.SqliteDatabase(path, pragmas=pragmas, timeout=PATIENCE)
    with keeper_of(path).acting():
        database.connect()
        open_files(database.connection())
    database.execute_sql("BEGIN")
    open_files(database.connection())
    return database


def _postgresql(url: str) -> Any:
    """Return peewee's database in a transaction of a server. It locks the schema; rows may change."""
    database: Any = peewee.PostgresqlDatabase(
        url, application_name="curlew backup", connect_timeout=5, register_unicode=False
    )
    database.connect()
    database.connection().set_session(ISOLATION_LEVEL_REPEATABLE_READ, readonly=True, autocommit=False)
    if names := ", ".join(map(quote, database.get_tables())):
        database.execute_sql(f"LOCK TABLE {names} IN ACCESS SHARE MODE")
    return database
