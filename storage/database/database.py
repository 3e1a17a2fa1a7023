"""The one door to the database: its connections, transactions and statements, and its errors translated."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, NoReturn, TypeVar

from storage import migrations
from storage.database.columns import Cells
from storage.database.errors import FOREIGN, busy, is_blocked, is_lost, meaning
from storage.database.process_connections import ProcessConnections
from storage.database.sqlite_readers import Params

T = TypeVar("T")
MIGRATION_LOCK = 0x6375726C6577  # "curlew" as a number: the key of PostgreSQL's advisory lock

_log = logging.getLogger(__name__)


class Database(ProcessConnections):
    """A database for all threads of a process: `sqlite:///abs/path` or `postgresql://…`.

    Statements are constants with `:name` for each parameter, or `?` in those that `several` writes. Raises
    Unavailable when the database is away or locked for too long and NoSpace when its disk is full; peewee's
    IntegrityError is left to the keepers. A forked process opens connections of its own.
    """

    def rows(self, sql: str, *values: Any, **named: Any) -> list[Cells]:
        """All rows that a statement answers."""
        params = named or values
        if self._readers is not None and not self._here.blocks:
            self._live()
            if self._readers.take(sql):
                try:
                    return self._readers.rows(sql, params)
                except sqlite3.Error:  # what is wrong shows again, where it is told
                    pass
        return self._execute(sql, params, lambda cursor: cursor.fetchall())

    def row(self, sql: str, *values: Any, **named: Any) -> Cells | None:
        """The first row, or None."""
        found = self.rows(sql, *values, **named)
        return found[0] if found else None

    def value(self, sql: str, **named: Any) -> Any:
        """The first column of the first row, or None."""
        found = self.rows(sql, **named)
        return found[0][0] if found else None

    def run(self, sql: str, *values: Any, **named: Any) -> int:
        """Execute; the number of rows that were touched."""
        return self._execute(sql, named or values, lambda cursor: int(cursor.rowcount))

    def many(self, sql: str, params: Sequence[Mapping[str, Any]]) -> None:
        """Execute once for each mapping of parameters, in the open transaction or one of its own."""
        with nullcontext() if self._live().in_transaction() else self.atomic():
            try:
                self._pool.statements(sql, params)
            except FOREIGN as error:
                self._give_up(error)

    @contextmanager
    def atomic(self) -> Iterator[None]:
        """All writes inside happen or none; nests. Durable when the outermost one returns."""
        pool, here = self._live(), self._here
        marks = len(here.after), len(here.rings)
        here.holds += 1
        here.blocks += 1
        try:
            with self._savepoint() if pool.in_transaction() else self._transaction():
                yield
        except BaseException:
            del here.after[marks[0] :], here.rings[marks[1] :]
            raise
        finally:
            here.holds -= 1
            here.blocks -= 1
            self._give_back()
        if not pool.in_transaction():
            self._ring()

    @contextmanager
    def together(self, notice: Callable[[], object], *, several: bool) -> Iterator[Callable[[], bool]]:
        """One transaction for the writes of `several` requests, or the session of one; tells if it is open.

        SQLite takes a transaction back by itself when it cannot write: what came after would be kept alone.
        On PostgreSQL it waits for no row for long that others keep: after one in vain it is not open either.
        `notice` is given before a lock or a sync is waited for.
        """
        self._live()
        here = self._here
        here.notice, here.is_blocked = notice, False
        try:
            with self.session(), self.atomic() if several else nullcontext():
                yield self._is_open if several else lambda: not here.is_blocked
        finally:
            here.notice = None

    def after_commit(self, call: Callable[[], None]) -> None:
        """Call after the outermost commit, at once outside a transaction, never after a rollback.

        Of equal calls one is made.
        """
        if self._live().in_transaction():
            self._here.after.append(call)
        else:
            call()

    def ring(self, channel: str, topic: str) -> None:
        """Notify who listens (PostgreSQL): with the commit, at once outside a transaction."""
        if self._live().in_transaction():
            self._here.rings.append((channel, topic))
        else:
            self.rows("SELECT pg_notify(:channel, :topic)", channel=channel, topic=topic)

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
    def idle(self) -> Iterator[None]:
        """Give this thread's connection back to the pool while the thread waits for something."""
        if self._live().in_transaction():
            raise RuntimeError("a connection cannot be released inside a transaction")
        held, self._here.holds = self._here.holds, 0
        self._give_back()
        try:
            yield
        finally:
            self._here.holds = held

    def version(self) -> Hashable | None:
        """Another value whenever something may have been committed; None where it cannot be told at once."""
        self._live()
        return self._version.read()

    def migrate(self) -> None:
        """Bring the schema up to date, under a lock. Raises Conflict when a newer release wrote it."""
        with self.atomic():
            if self.dialect == "postgresql":
                self.run("SET LOCAL lock_timeout = '60s'")
                self.rows("SELECT pg_advisory_xact_lock(:key)", key=MIGRATION_LOCK)
            migrations.apply(self._pool)

    def _is_open(self) -> bool:
        here = self._here
        return not (here.broken or here.is_blocked) and bool(self._pool.has_block())

    def _execute(self, sql: str, params: Params, fetch: Callable[[Any], T]) -> T:
        pool = self._live()
        try:
            try:
                return fetch(pool.statement(sql, params))
            except FOREIGN as error:
                reads = sql.lstrip()[:6].upper() == "SELECT"
                if not (self._discard(error) and reads):
                    raise
                return fetch(pool.statement(sql, params))
        except FOREIGN as error:
            self._give_up(error)
        finally:
            if not self._here.holds:
                self._give_back()

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """Take a turn, where writers take turns.

        Whoever has the turn has a connection already, and so never waits for those who wait for the turn.
        """
        pool = self._pool
        turns = pool.turns
        if turns is None:
            yield
            return
        try:
            pool.connect(reuse_if_open=True)
        except FOREIGN as error:
            self._give_up(error)
        if not turns.acquire(blocking=False):
            self._here.note_wait()
            if not turns.acquire(timeout=self._patience):
                raise busy()
        try:
            yield
        finally:
            turns.release()

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with self._turn():
            block = self._begin()
            try:
                yield
            except BaseException as error:
                self._roll_back(block, error)
                raise
            here = self._here
            rings, here.rings = here.rings, []
            if rings:
                self._pool.ring_with_commit(dict.fromkeys(rings))
            here.note_wait()
            try:
                block.__exit__(None, None, None)
            except FOREIGN as error:
                self._give_up(error)

    @contextmanager
    def _savepoint(self) -> Iterator[None]:
        pool = self._pool
        self._do(pool.set_savepoint)
        try:
            yield
        except BaseException:
            try:
                pool.undo_savepoint()
            except FOREIGN:  # the connection is gone and the transaction with it: the error says more
                self._here.broken = True
            raise
        self._do(pool.release_savepoint)

    def _do(self, call: Callable[[], None]) -> None:
        try:
            call()
        except FOREIGN as error:
            self._give_up(error)

    def _begin(self) -> AbstractContextManager[Any]:
        """An entered transaction; on a fresh connection when the pooled one is dead."""
        pool = self._pool
        block: AbstractContextManager[Any] = pool.block(self._here.notice)
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
        for call in dict.fromkeys(calls):
            try:
                call()
            except Exception:
                _log.exception("a call after a commit failed")

    def _discard(self, error: Exception) -> bool:
        """Put this thread's connection away when `error` says it is lost; True when another may be tried."""
        pool = self._pool
        if not is_lost(error):
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
        if plain is error:
            raise error
        self._here.is_blocked = self._here.is_blocked or is_blocked(error)
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
