"""WriteGroups: short changes that come at the same time share a transaction, and so its sync."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, Protocol

from vfs.errors import Unavailable

MOST_TOGETHER = 16
LOST = "The change was not stored, nor were others that came with it; try again."


class Writer(Protocol):
    """The part of a database that a group needs."""

    def atomic(self) -> AbstractContextManager[None]: ...

    def idle(self) -> AbstractContextManager[None]: ...

    def is_open(self) -> bool:
        """Whether the transaction of this thread is still open, as the database says."""
        ...


class _Change:
    """A change of one thread, which sleeps in `turn` until it is made or this thread is to make some."""

    __slots__ = ("error", "is_over", "make", "result", "turn")

    def __init__(self, make: Callable[[], Any]) -> None:
        self.make = make
        self.result: Any = None
        self.error: Exception | None = None
        self.is_over = False
        self.turn = threading.Lock()
        self.turn.acquire()


class WriteGroups:
    """Changes of the threads of a process: the first that waits makes its own and those that wait behind it.

    Each is made within a savepoint, so that one may be refused and the others kept. The pattern is that of
    the queue of writers in LevelDB. A change that is made in another thread must need nothing of its own.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: deque[_Change] = deque()
        self._is_led = False

    def make(self, change: Callable[[], Any], writer: Writer) -> Any:
        """Make a change; its result once that is durable. Raises what it raised, or why nothing was kept."""
        mine = _Change(change)
        with self._lock:
            leads, self._is_led = not self._is_led, True
            if not leads:
                self._waiting.append(mine)
        if not leads:
            with writer.idle():
                mine.turn.acquire()
        if not mine.is_over:
            self._lead(mine, writer)
        if mine.error is not None:
            raise mine.error
        return mine.result

    def _lead(self, mine: _Change, writer: Writer) -> None:
        """Make a change and those that wait; then the next thread leads."""
        with self._lock:
            others = [self._waiting.popleft() for _ in range(min(len(self._waiting), MOST_TOGETHER - 1))]
        try:
            _make_all([mine, *others], writer)
        finally:
            with self._lock:
                following = self._waiting.popleft() if self._waiting else None
                self._is_led = following is not None
            if following is not None:
                following.turn.release()
            for one in others:
                one.turn.release()


def _make_all(group: list[_Change], writer: Writer) -> None:
    """Make changes in one transaction.

    SQLite takes it back by itself when it cannot write, as on a full disk: what came after would be kept
    alone.
    """
    lost: Exception | None = Unavailable(LOST, retry_after=1)
    try:
        with writer.atomic():
            for one in group:
                _make(one, writer)
                if not writer.is_open():
                    raise one.error or Unavailable(LOST, retry_after=1)
        lost = None
    except Exception as error:
        lost = error
    finally:
        for one in group:
            one.error, one.is_over = one.error or lost, True


def _make(one: _Change, writer: Writer) -> None:
    try:
        with writer.atomic():
            one.result = one.make()
    except Exception as error:
        one.error = error
