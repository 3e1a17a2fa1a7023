"""EventServer: the parts of a worker put together, and the turns of its loop until it is to stop."""

from __future__ import annotations

import logging
import select
import threading
import time
from collections.abc import Sequence
from functools import partial
from queue import SimpleQueue
from typing import Any

from handlers.server.acceptor import Acceptor
from handlers.server.application import Occupancy, ServedApplication
from handlers.server.connection_handler import ConnectionHandler
from handlers.server.dispatch import Dispatch, LoopCalls
from handlers.server.event_loop import EventLoop
from handlers.server.fair_pool import FairPool
from handlers.server.group_commit import GroupCommit
from handlers.server.leadership import Leadership, LeadershipLost
from handlers.server.limits import ClientLimits
from handlers.server.refusals import CountRefusal, Refusals
from handlers.server.timeouts import TimeoutSweep
from handlers.server.wsgi_environ import base_environ

log = logging.getLogger("curlew")

TURN_SECONDS = 1.0
STOPPING_SECONDS = 0.1


class EventServer:
    """Accepts and answers, in whichever thread leads.

    `leadership` tells of a leader that waits too long, `turned` when the loop last turned (monotonic);
    `is_over` is set once everything was answered, or given up, after `stop`.
    """

    def __init__(
        self,
        application: ServedApplication,
        cfg: Any,
        limits: ClientLimits,
        listeners: Sequence[Any],
        count_refusal: CountRefusal,
    ) -> None:
        self._limits = limits
        self._listeners = listeners
        self._lines = application.lines
        self._graceful: float = cfg.graceful_timeout
        self._loop = EventLoop()
        self._pool = FairPool(cfg.threads)
        self._groups: GroupCommit | None = None
        if application.grouping is not None:
            self._groups = GroupCommit(application.grouping, limits, self._loop.later)
        self.leadership = Leadership(limits.patience, limits.rest)
        base = base_environ(cfg.workers > 1)
        refusals = Refusals(application.refuse, count_refusal)
        self._handler = handler = ConnectionHandler(cfg, self._loop, limits, base, refusals)
        calls = LoopCalls(self._loop.later, handler.finish, handler.turn_away)
        self._dispatch = Dispatch(
            application, self._pool, limits, self.leadership, calls, refusals, self._groups
        )
        handler.dispatch = self._dispatch
        self._sweep = TimeoutSweep(handler, limits, refusals)
        self.turned = time.monotonic()
        self.is_over = threading.Event()
        self._until: float | None = None
        # Guards the number of followers: threads that led once, and wait in `_promoted` to lead again.
        self._lock = threading.Lock()
        self._followers = 0
        self._promoted = SimpleQueue[None]()
        self._acceptor = Acceptor(handler.table, handler.begin, handler.drop, refusals)
        self._begin()

    def _begin(self) -> None:
        """Have connections accepted from now on."""
        if self._lines is not None:
            self._lines.gather(True)
        for listener in self._listeners:
            listener.setblocking(False)
            self._loop.watch(listener.fileno(), select.EPOLLIN, partial(self._acceptor.accept, listener))

    def promote(self) -> None:
        """Have another thread lead: a follower, else a new one. Raises RuntimeError where none starts."""
        with self._lock:
            if self._followers:
                self._followers -= 1
                self._promoted.put(None)
                return
        threading.Thread(target=self._follow, name="loop", daemon=True).start()

    def _follow(self) -> None:
        """Lead whenever this thread is promoted, until everything is over."""
        while not self._lead():
            with self._lock:
                self._followers += 1
            self._promoted.get()

    def _lead(self) -> bool:
        """Turn the loop; whether that was to the end, and not until another thread leads."""
        try:
            while self._until is None or (len(self._handler.table) and time.monotonic() < self._until):
                self._turn()
        except LeadershipLost:
            return False
        for connection in self._handler.table:
            self._handler.drop(connection)
        if self._lines is not None:
            self._lines.gather(False)
        self.is_over.set()
        return True

    def _turn(self) -> None:
        """Do what has come up, or wait for it. Raises LeadershipLost."""
        pause = TURN_SECONDS if self._until is None else STOPPING_SECONDS
        groups, sweep = self._groups, self._sweep
        has_work = sweep.is_under_way or (groups is not None and groups.is_due)
        is_busy = self._loop.turn(0 if has_work else pause)
        if groups is not None:
            self._answer_groups(groups, is_busy)
        self._write_lines()
        self.turned = time.monotonic()
        sweep.go_on(pause)

    def occupancy(self) -> Occupancy:
        """The work that this worker has in hand; may be called in any thread."""
        at_work, waiting = self._pool.count()
        return Occupancy(len(self._handler.table), at_work, waiting, self._handler.buffered)

    def stop(self) -> None:
        """Accept nothing more, and end once all is answered that has come; may be called in any thread."""
        self._loop.later(self._stop)

    def close(self) -> None:
        """Let go of threads, once they have nothing to do, and of the loop."""
        self._pool.close()
        self._loop.close()

    def _write_lines(self) -> None:
        """Write the lines that came up in this turn. Raises LeadershipLost when that took for long."""
        if self._lines is not None:
            term = self.leadership.begin_call()
            self._lines.flush()
            if not self.leadership.end_call(term):
                raise LeadershipLost

    def _answer_groups(self, groups: GroupCommit, is_busy: bool) -> None:
        """Answer short writes that wait. Raises LeadershipLost when another thread leads by then."""
        if groups.gathers(is_busy) or not groups.has_waiting:
            return
        term, leads = self.leadership.begin_call(), True

        def hand_over() -> None:
            nonlocal leads
            if leads:
                leads = self.leadership.end_call(term) and not self._has_successor()

        groups.answer(hand_over)
        if not (leads and self.leadership.end_call(term)):
            raise LeadershipLost

    def _has_successor(self) -> bool:
        """Have another thread lead; whether there was one."""
        try:
            self.promote()
        except RuntimeError:
            log.exception("no further thread can be started")
            return False
        return True

    def _stop(self) -> None:
        """Let idle connections send something for a moment more."""
        if self._until is not None:
            return
        now = time.monotonic()
        self._until = now + self._graceful
        for listener in self._listeners:
            # Who waits would be neither served nor refused until this process ends.
            self._acceptor.accept(listener, select.EPOLLIN)
            self._loop.forget(listener.fileno())
            listener.close()
        self._handler.is_stopping = self._dispatch.is_last = True
        for connection in self._handler.table:
            if connection.is_idle:
                patience = self._limits.linger if connection.goes_on else self._limits.linger_first
                connection.deadline = min(connection.deadline, now + patience)
