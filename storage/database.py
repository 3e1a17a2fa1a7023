"""The one door to the database: its connections, transactions and statements, and its errors translated."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any, NoReturn, TypeVar
from urllib.parse import unquote, urlsplit

import peewee
from playhouse.pool import PooledPostgresqlDatabase, PooledSqliteDatabase
from psycopg2.extras import execute_batch

from storage import migrations
from storage.faults import FOREIGN, lost, meaning
from vfs.errors import Invalid

T = TypeVar("T")

BUSY_SECONDS = 10
MIGRATION_LOCK = 0x6375726C6577  # "curlew" as a number: the key of PostgreSQL's advisory lock

_log = logging.getLogger(__name__)


class _Here(threading.local):
    """What one thread has open: `holds` counts sessions and transactions, `after` waits for the commit."""

    def __init__(self) -> None:
        self.holds = 0
        self.after: list[Callable[[], None]] = []
        self.broken = False


class Database:
    """A database for all threads of a process: `sqlite:///abs/path` or `postgresql://…`.

    Statements are constants with `?` for each parameter. Raises Unavailable when the database is away or
    locked for too long and NoSpace when its disk is full; peewee's IntegrityError is left to the keepers.
    A forked process opens connections of its own.
    """

    def __init__(self, url: str, *, synchronous: str = "full", pool: int = 16) -> None:
        self.dialect = urlsplit(url).scheme
        if self.dialect == "sqlite":
            self._make: Callable[[], Any] = lambda: _sqlite(url, synchronous, pool)
        elif self.dialect == "postgresql":
            self._make = lambda: _postgresql(url, pool)
        else:
            raise Invalid("A database URL begins with sqlite:/// or postgresql://; correct it.")
        self._pool = self._make()
        self._here = _Here()
        self._pid = os.getpid()
        self._fork = threading.Lock()
        self._inherited: list[Any] = []
        self._texts: dict[str, str] = {}

    def rows(self, sql: str, *params: Any) -> list[tuple[Any, ...]]:
        """All rows that a statement answers."""
        return self._execute(self._texts.get(sql) or self._text(sql), params, _all)

    def row(self, sql: str, *params: Any) -> tuple[Any, ...] | None:
        """The first row, or None."""
        found = self.rows(sql, *params)
        return found[0] if found else None

    def run(self, sql: str, *params: Any) -> int:
        """Execute; the number of rows that were touched."""
        return self._execute(self._text(sql), params, _count)

    def query(self, query: Any) -> Any:
        """Execute a peewee query: a SELECT answers its rows as tuples, others the number of rows touched."""
        text, params = self._live().get_sql_context().sql(query).query()
        return self._execute(text, params, _all if isinstance(query, peewee.SelectBase) else _count)

    def many(self, sql: str, params: Sequence[tuple[Any, ...]]) -> None:
        """Execute once for each tuple of parameters, in one transaction."""
        text = self._text(sql)
        with self.atomic():
            try:
                cursor = self._pool.cursor()
                if self.dialect == "sqlite":
                    cursor.executemany(text, params)
                else:
                    execute_batch(cursor, text, params)
            except FOREIGN as error:
                self._give_up(error)

    @contextmanager
    def atomic(self) -> Iterator[None]:
        """All writes inside happen or none; nests. Durable when the outermost one returns."""
        pool, here = self._live(), self._here
        mark = len(here.after)
        here.holds += 1
        try:
            block = self._begin()
            try:
                yield
            except BaseException as error:
                self._roll_back(block, error)
                raise
            try:
                block.__exit__(None, None, None)
            except FOREIGN as error:
                self._give_up(error)
        except BaseException:
            del here.after[mark:]
            raise
        finally:
            here.holds -= 1
            self._give_back()
        if not pool.in_transaction():
            self._ring()

    def after_commit(self, call: Callable[[], None]) -> None:
        """Call after the outermost commit, at once outside a transaction, never after a rollback."""
        if self._live().in_transaction():
            self._here.after.append(call)
        else:
            call()

    @contextmanager
    def session(self) -> Iterator[None]:
        """One request: a connection is taken at the first statement and given back at the end."""
        self._live()
        self._here.holds += 1
        try:
            yield
        finally:
            self._here.holds -= 1
            self._give_back()

    @contextmanager
    def released(self) -> Iterator[None]:
        """Give this thread's connection back to the pool while the thread waits for something."""
        if self._live().in_transaction():
            raise RuntimeError("a connection cannot be released inside a transaction")
        held, self._here.holds = self._here.holds, 0
        self._give_back()
        try:
            yield
        finally:
            self._here.holds = held

    def migrate(self) -> None:
        """Bring the schema up to date, under a lock. Raises Conflict when a newer release wrote it."""
        with self.atomic():
            if self.dialect == "postgresql":
                self.run("SET LOCAL lock_timeout = '60s'")
                self.rows("SELECT pg_advisory_xact_lock(?)", MIGRATION_LOCK)
            migrations.apply(self._pool)

    def close(self) -> None:
        """Close every connection of this process."""
        self._live().close_all()

    def _live(self) -> Any:
        """The pool of this process: connections opened before a fork are the parent's, never closed here."""
        if self._pid != os.getpid():
            with self._fork:
                if self._pid != os.getpid():
                    self._inherited.append((self._pool, self._here))
                    self._pool, self._here = self._make(), _Here()
                    self._pid = os.getpid()
        return self._pool

    def _text(self, sql: str) -> str:
        """The statement in the driver's words, translated once."""
        text = self._texts.get(sql)
        if text is None:
            text = sql if self.dialect == "sqlite" else sql.replace("%", "%%").replace("?", "%s")
            self._texts[sql] = text
        return text

    def _execute(self, text: str, params: Sequence[Any], fetch: Callable[[Any], T]) -> T:
        pool = self._live()
        try:
            try:
                return fetch(pool.execute_sql(text, params))
            except FOREIGN as error:
                reads = text.lstrip()[:6].upper() == "SELECT"
                if not (self._discard(error) and reads):
                    raise
                return fetch(pool.execute_sql(text, params))
        except FOREIGN as error:
            self._give_up(error)
        finally:
            if not self._here.holds:
                self._give_back()

    def _begin(self) -> AbstractContextManager[Any]:
        """An entered transaction or savepoint; on a fresh connection when the pooled one is dead."""
        pool = self._pool
        how = ("IMMEDIATE",) if self.dialect == "sqlite" else ()
        block: AbstractContextManager[Any] = pool.atomic(*how)
        try:
            try:
                block.__enter__()
            except FOREIGN as error:
                if not self._discard(error):
                    raise
                block.__enter__()
        except FOREIGN as error:
            self._give_up(error)
        return block

    def _roll_back(self, block: AbstractContextManager[Any], error: BaseException) -> None:
        try:
            block.__exit__(type(error), error, error.__traceback__)
        except FOREIGN:  # the connection is gone and the transaction with it: `error` says more
            self._here.broken = True

    def _ring(self) -> None:
        """Make the calls that waited: one that fails must not make a committed write look refused."""
        here = self._here
        calls, here.after = here.after, []
        for call in calls:
            try:
                call()
            except Exception:
                _log.exception("a call after a commit failed")

    def _discard(self, error: Exception) -> bool:
        """Put this thread's connection away when `error` says it is lost; True when another may be tried."""
        pool = self._pool
        if not lost(error):
            return False
        self._here.broken = True
        if pool.in_transaction() or pool.is_closed():
            return False
        self._here.broken = False
        pool.manual_close()
        pool.close_idle()
        return True

    def _give_up(self, error: Exception) -> NoReturn:
        """Raise what a caller can act on, or the error itself where it is a keeper's to handle."""
        self._discard(error)
        plain = meaning(error)
        if plain is None:
            raise error
        raise plain from error

    def _give_back(self) -> None:
        pool, here = self._pool, self._here
        if here.holds or pool.is_closed():
            return
        if here.broken:
            here.broken = False
            pool.manual_close()
        else:
            pool.close()


def _all(cursor: Any) -> list[tuple[Any, ...]]:
    rows: list[tuple[Any, ...]] = cursor.fetchall()
    return rows


def _count(cursor: Any) -> int:
    touched: int = cursor.rowcount
    return touched


def _sqlite(url: str, synchronous: str, pool: int) -> PooledSqliteDatabase:
    path = unquote(urlsplit(url).path)
    pragmas = {
        "journal_mode": "wal",
        "synchronous": synchronous,
        "foreign_keys": 1,
        "mmap_size": 256 << 20,
        "cache_size": -16_000,
        "temp_store": "memory",
    }
    return PooledSqliteDatabase(
        path, pragmas=pragmas, timeout=BUSY_SECONDS, max_connections=pool, check_same_thread=False,
    )  # fmt: skip


def _postgresql(url: str, pool: int) -> PooledPostgresqlDatabase:
    return PooledPostgresqlDatabase(
        url, max_connections=pool, timeout=BUSY_SECONDS, register_unicode=False,
        connect_timeout=5, application_name="curlew", options=f"-c lock_timeout={BUSY_SECONDS}s",
    )  # fmt: skip
