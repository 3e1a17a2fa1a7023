"""Transactions: the sessions and transactions of a thread, and the calls that wait for a commit."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from types import TracebackType
from typing import Any, NoReturn

from storage.database.errors import FOREIGN, busy, is_lost, meaning
from storage.database.process_connections import ProcessConnections, ThreadState

_log = logging.getLogger(__name__)


class Transactions(ProcessConnections):
    """The connections of a process: one for each thread while it has a session or a transaction."""

    def atomic(self) -> AbstractContextManager[None]:
        """Return a transaction, which may be nested; its writes are durable when the outermost one ends."""
        pool = self._live()
        return Savepoint(self, pool, self._state) if pool.in_transaction() else self._outermost()

    def after_commit(self, call: Callable[[], None]) -> None:
        """Call after the outermost commit, or at once outside a transaction, but never after a rollback.

        Equal calls are made once.
        """
        if self._live().in_transaction():
            self._state.after.append(call)
        else:
            call()

    def with_commit(self, write: Callable[[list[str]], None], row: str) -> None:
        """Write a row at the end of the outermost transaction, together with its other rows."""
        if self._live().in_transaction():
            self._state.rows.append((write, row))
            return
        with self.atomic():
            write([row])

    @contextmanager
    def session(self) -> Iterator[None]:
        """Keep one connection for a request: from its first statement to the end of the block."""
        self._live()
        self._state.holds += 1
        try:
            yield
        finally:
            self._state.holds -= 1
            self._give_back()

    @contextmanager
    def idle(self) -> Iterator[None]:
        """Return this thread's connection to the pool while the thread waits."""
        if self._live().in_transaction():
            raise RuntimeError("a connection cannot be released inside a transaction")
        holds, self._state.holds = self._state.holds, 0
        self._give_back()
        try:
            yield
        finally:
            self._state.holds = holds

    def give_up(self, error: Exception) -> NoReturn:
        """Raise the matching error of vfs.errors, or the error itself when there is none."""
        self._discard(error)
        plain = meaning(error)
        if plain is error:
            raise error
        raise plain from error

    @contextmanager
    def _outermost(self) -> Iterator[None]:
        pool, state = self._pool, self._state
        state.holds += 1
        state.blocks += 1
        try:
            with self._turn():
                yield from self._transaction()
        except BaseException:
            state.rows.clear()
            state.after.clear()
            state.signals.clear()
            raise
        finally:
            state.holds -= 1
            state.blocks -= 1
            self._give_back()
        if not pool.in_transaction():
            self._make_calls()

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """Take the lock of the writers, if the pool has one.

        Its holder already has a connection, so it never waits for a thread that waits for the lock.
        """
        pool = self._pool
        turns = pool.turns
        if turns is None:
            yield
            return
        try:
            pool.connect(reuse_if_open=True)
        except FOREIGN as error:
            self.give_up(error)
        spent = 0.0
        if not turns.acquire(blocking=False):
            began = time.monotonic()
            if not turns.acquire(timeout=self._patience):
                raise busy()
            spent = time.monotonic() - began
        pool.spent = spent
        try:
            yield
        finally:
            turns.release()

    def _transaction(self) -> Iterator[None]:
        block = self._begin()
        state = self._state
        try:
            yield
            rows, state.rows = state.rows, []
            for write in dict.fromkeys(write for write, _ in rows):
                write([row for one, row in rows if one == write])
        except BaseException as error:
            self._roll_back(block, error)
            raise
        signals, state.signals = state.signals, []
        if signals:
            self._pool.signal_with_commit(dict.fromkeys(signals))
        try:
            block.__exit__(None, None, None)
        except FOREIGN as error:
            self.give_up(error)

    def _begin(self) -> AbstractContextManager[Any]:
        """Begin a transaction and return it; on a new connection when the pooled one is dead."""
        block: AbstractContextManager[Any] = self._pool.block()
        try:
            try:
                block.__enter__()
            except FOREIGN as error:
                if not self._discard(error):
                    raise
                block.__enter__()
        except FOREIGN as error:
            self.give_up(error)
        return block

    def _roll_back(self, block: AbstractContextManager[Any], error: BaseException) -> None:
        try:
            block.__exit__(type(error), error, error.__traceback__)
        except FOREIGN:  # the connection and its transaction are gone: `error` is the cause
            self._state.broken = True

    def _make_calls(self) -> None:
        """Make the calls that waited for the commit. Only log their errors: the write is committed."""
        state = self._state
        calls, state.after = state.after, []
        for call in dict.fromkeys(calls):
            try:
                call()
            except Exception:
                _log.exception("a call after a commit failed")

    def _discard(self, error: Exception) -> bool:
        """Drop this thread's connection when `error` means it is lost; return whether to try a new one."""
        pool = self._pool
        if not is_lost(error):
            return False
        self._state.broken = True
        if pool.in_transaction() or pool.is_closed():
            return False
        self._state.broken = False
        pool.manual_close()
        pool.close_idle()
        return True

    def _give_back(self) -> None:
        pool, state = self._pool, self._state
        if state.holds or pool.is_closed():
            return
        if state.broken:
            state.broken = False
            pool.manual_close()
        else:
            pool.close()


class Savepoint:
    """A savepoint: when its block fails, its writes and its waiting calls are undone."""

    __slots__ = ("_marks", "_of", "_pool", "_state")

    def __init__(self, of: Transactions, pool: Any, state: ThreadState) -> None:
        self._of, self._pool, self._state = of, pool, state
        self._marks = len(state.rows), len(state.after), len(state.signals)

    def __enter__(self) -> None:
        try:
            self._pool.set_savepoint()
        except FOREIGN as error:
            self._of.give_up(error)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            self._take_back()
            return
        try:
            self._pool.release_savepoint()
        except FOREIGN as failure:
            self._drop_waiting()
            self._of.give_up(failure)

    def _take_back(self) -> None:
        self._drop_waiting()
        try:
            self._pool.undo_savepoint()
        except FOREIGN:  # the connection and its transaction are gone: the caller's error is the cause
            self._state.broken = True

    def _drop_waiting(self) -> None:
        rows, after, signals = self._marks
        del self._state.rows[rows:], self._state.after[after:], self._state.signals[signals:]
