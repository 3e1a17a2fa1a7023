"""Lending of a few things to many accounts: the next free one is for the account whose turn it is."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterable
from concurrent.futures import Future
from typing import Generic, TypeVar

from chains.runner.fair_slots import AccountTurns

T = TypeVar("T")


class Lending(Generic[T]):
    """Lends each of some things to one borrower at a time, the last returned one first."""

    def __init__(self, things: Iterable[T]) -> None:
        self._free = list(things)
        self._lock = threading.Lock()
        self._turns = AccountTurns()
        self._waiting: dict[str, deque[Future[T]]] = {}

    def borrow(self, account: str, patience: float | None = None) -> T:
        """Return a thing when it is the account's turn. Raises TimeoutError after `patience` seconds."""
        turn = Future[T]()
        with self._lock:
            if self._free:
                self._turns.begin(account)
                return self._free.pop()
            self._waiting.setdefault(account, deque()).append(turn)
        try:
            return turn.result(patience)
        except TimeoutError:
            with self._lock:
                if turn.done():  # it arrived at the last moment
                    return turn.result()
                self._forget(account, turn)
            raise

    def restore(self, account: str, thing: T) -> None:
        """Return a thing that the account had, or a replacement."""
        with self._lock:
            self._turns.end(account)
            self._hand_on(thing)

    def withdraw(self) -> list[T]:
        """Take all free things, the longest returned first."""
        with self._lock:
            free, self._free = self._free, []
        return free

    def add(self, thing: T) -> None:
        """Add a thing to lend."""
        with self._lock:
            self._hand_on(thing)

    def _hand_on(self, thing: T) -> None:
        account = min(self._waiting, key=self._turns.rank, default=None)
        if account is None:
            # A place whose thing has to be made first is lent last.
            self._free.insert(0 if thing is None else len(self._free), thing)
            return
        turn = self._waiting[account][0]
        self._forget(account, turn)
        self._turns.begin(account)
        turn.set_result(thing)

    def _forget(self, account: str, turn: Future[T]) -> None:
        self._waiting[account].remove(turn)
        if not self._waiting[account]:
            del self._waiting[account]
