"""Pool of confined processes that render; one that reaches a limit is ended and replaced."""

from __future__ import annotations

import logging
import threading
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from threading import Lock
from time import monotonic
from typing import Generic, TypeVar

from chains.runner.fair_slots import AccountTurns
from handlers.rendering.port import Renderer, RendererBusy, RenderFailed, Rendering, RenderLate, RenderOrder
from handlers.rendering.render_process import PoolLimits, RenderProcess
from handlers.rules.shared_limit import LimitHolder, SharedLimit
from vfs.errors import TooMany, Unavailable

T = TypeVar("T")


class Lending(Generic[T]):
    """Lends each of several objects to one borrower at a time, the last returned one first."""

    def __init__(self, things: Iterable[T]) -> None:
        self._free = list(things)
        self._lock = threading.Lock()
        self._turns = AccountTurns()
        self._waiting: dict[str, deque[Future[T]]] = {}

    def borrow(self, account: str, patience: float | None = None) -> T:
        """Return an object when it is the account's turn. Raises TimeoutError after `patience` seconds."""
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
        """Take back an object from an account, or a replacement for it."""
        with self._lock:
            self._turns.end(account)
            self._hand_on(thing)

    def withdraw(self) -> list[T]:
        """Remove and return all free objects, the first returned one first."""
        with self._lock:
            free, self._free = self._free, []
        return free

    def add(self, thing: T) -> None:
        """Add an object to lend."""
        with self._lock:
            self._hand_on(thing)

    def _hand_on(self, thing: T) -> None:
        account = min(self._waiting, key=self._turns.rank, default=None)
        if account is None:
            # None stands for an object that has to be made first, and is lent last.
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


WORTH = 0.35
"""Share of the time limit after which a late render counts as too slow; before it, the pool was busy."""
WAITING = 0.5
"""Share of its time limit that a render may wait for a process."""
GRACE = 1.0
"""Seconds that an account waits before it gets a process of an account that has more than half."""

log = logging.getLogger("curlew")


class _Recalled(RendererBusy):
    """Raised for a render whose process was ended for another account."""


@dataclass
class RenderPool:
    """Processes that start when they are first needed; orders above the limit of waiting ones are refused.

    Accounts take turns, and the queue keeps places for accounts without orders. While others wait, an account
    has at most half of the processes: its further renders are ended and repeated later.
    """

    limits: PoolLimits = field(default_factory=PoolLimits)
    _processes: Lending[RenderProcess | None] = field(init=False)
    _room: SharedLimit = field(init=False)
    _working: dict[RenderProcess, str] = field(init=False, default_factory=dict)
    _recalled: set[RenderProcess] = field(init=False, default_factory=set)
    _lock: threading.Lock = field(init=False, default_factory=threading.Lock)
    _closing: threading.Event = field(init=False, default_factory=threading.Event)

    def __post_init__(self) -> None:
        self._processes = Lending([None] * self.limits.processes)
        self._room = SharedLimit(self.limits.processes + self.limits.waiting)

    def render(self, order: RenderOrder) -> Rendering:
        """Render an order in the next free process. Raises RenderFailed, RendererBusy."""
        try:
            place = self._room.enter(LimitHolder(order.account))
        except (TooMany, Unavailable):
            raise RendererBusy("the queue of renders is full") from None
        try:
            try:
                return self._make(order)
            except _Recalled:
                return self._make(order)
        finally:
            self._room.leave(place)

    def _make(self, order: RenderOrder) -> Rendering:
        timed = order
        try:
            with self._process(order) as (process, waited):
                timed = self._in_time(order, waited)
                return process.render(timed)
        except RenderLate as late:
            self._refuse_when_closing()
            if timed.seconds is not None and timed.seconds < self.limits.seconds * WORTH:
                raise RendererBusy("its time was over before it was drawn") from late
            raise
        except RenderFailed:
            self._refuse_when_closing()
            raise

    def _in_time(self, order: RenderOrder, waited: float) -> RenderOrder:
        """Return the order with the rest of its time. Raises RendererBusy if none is left."""
        if order.seconds is None:
            return order
        if waited >= order.seconds:
            raise RendererBusy("its time was over before it was drawn")
        return replace(order, seconds=order.seconds - waited)

    @contextmanager
    def _process(self, order: RenderOrder) -> Iterator[tuple[RenderProcess, float]]:
        """Yield a process for one order, and the seconds it waited for it.

        A process at its limits is ended, and another is started for the next order.
        """
        began = monotonic()
        process, account = self._next(order), order.account
        try:
            process = self._fresh(process)
            with self._lock:
                self._working[process] = account
            self._refuse_when_closing()
            yield process, monotonic() - began
        except RenderFailed:
            if process in self._recalled:
                raise _Recalled("its account had more than half of the renderers, and others wait") from None
            raise
        finally:
            if process is not None:
                with self._lock:
                    self._working.pop(process, None)
                    self._recalled.discard(process)
                if process.spent:
                    process.end()
                    process = None
            self._processes.restore(account, process)

    def _next(self, order: RenderOrder) -> RenderProcess | None:
        """Return the next free process. Raises RendererBusy if too little of the order's time is left."""
        longest = self.limits.patience
        if order.seconds is not None:
            longest = min(longest, order.seconds * WAITING)
        try:
            with suppress(TimeoutError):
                return self._processes.borrow(order.account, min(longest, GRACE))
            self._recall(order.account)
            return self._processes.borrow(order.account, longest - min(longest, GRACE))
        except TimeoutError:
            raise RendererBusy(f"no renderer was free within {longest:g} seconds") from None

    def _recall(self, account: str) -> None:
        """End the longest render of an account with more than half of the processes, for this account."""
        half = max(1, self.limits.processes // 2)
        with self._lock:
            kept = {
                process: holder for process, holder in self._working.items() if process not in self._recalled
            }
            count = Counter(kept.values())
            over = (process for process, holder in kept.items() if count[holder] > half)
            if count[account] < half and (process := next(over, None)) is not None:
                self._recalled.add(process)
                process.kill()

    def _fresh(self, process: RenderProcess | None) -> RenderProcess:
        """Return the process, or a new one if it is spent. Raises RendererBusy if none can be started."""
        if process is not None and not process.spent:
            return process
        if process is not None:
            process.end()
        self._refuse_when_closing()
        try:
            return RenderProcess(self.limits)
        except (RenderFailed, OSError) as error:
            log.error("no renderer can be started: %s", error)
            raise RendererBusy("no renderer can be started") from None

    def _refuse_when_closing(self) -> None:
        if self._closing.is_set():
            raise RendererBusy("the rendering service is ending")

    def warm_up(self) -> None:
        """Start one process; orders wait for it meanwhile. Raises RendererBusy if none can be started."""
        first, *others = self._processes.withdraw()
        try:
            first = self._fresh(first)
        finally:
            for process in (first, *others):
                self._processes.add(process)

    def rest(self, seconds: float) -> None:
        """End the processes that were idle for `seconds`, except the last used one."""
        free = self._processes.withdraw()
        for process in free:
            idle = process is not None and process is not free[-1] and process.idle_seconds > seconds
            if process is not None and idle:
                process.end()
            self._processes.add(None if idle else process)

    def close(self) -> None:
        """End all processes; waiting callers get RendererBusy."""
        self._closing.set()
        for process in tuple(self._working):
            process.kill()
        for last in [self._processes.borrow("") for _ in range(self.limits.processes)]:
            if last is not None:
                last.end()
            self._processes.restore("", None)


class SingleFlight:
    """A renderer that combines concurrent equal orders into one order for another renderer."""

    def __init__(self, renderer: Renderer) -> None:
        self._renderer = renderer
        self._flights: dict[str, Future[Rendering]] = {}
        self._lock = Lock()

    def render(self, order: RenderOrder) -> Rendering:
        """Render an order, or share the result of an equal one. Raises RenderFailed, RendererBusy."""
        digest, mine = order.digest, Future[Rendering]()
        with self._lock:
            flight = self._flights.setdefault(digest, mine)
        if flight is not mine:
            return flight.result()
        try:
            mine.set_result(self._renderer.render(order))
        except BaseException as error:
            mine.set_exception(error)
        finally:
            with self._lock:
                del self._flights[digest]
        return mine.result()
