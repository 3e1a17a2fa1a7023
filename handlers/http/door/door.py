"""Door: the parts of a worker put together, and the turns of its loop until it is to stop."""

from __future__ import annotations

import logging
import select
import threading
import time
from collections.abc import Sequence
from functools import partial
from queue import SimpleQueue
from typing import Any, Protocol

from handlers.http.door.acceptance import Acceptance
from handlers.http.door.dispatch import Dispatch, LoopCalls, Manners
from handlers.http.door.environs import base_environ
from handlers.http.door.fair_threads import FairThreads
from handlers.http.door.limits import DoorLimits
from handlers.http.door.loop import DoorLoop
from handlers.http.door.overdue import OverdueSweep
from handlers.http.door.reception import Reception
from handlers.http.door.relay import LoopRelay, LoopTaken
from handlers.http.door.service import Wsgi
from handlers.http.door.write_groups import Grouping, WriteGroups

log = logging.getLogger("curlew")

TURN_SECONDS = 1.0
STOPPING_SECONDS = 0.1


class LogLines(Protocol):
    """Lines of a log that are gathered, to be written in batches."""

    def gather(self, gathers: bool) -> None:
        """Begin or cease to gather lines."""
        ...

    def flush(self) -> None:
        """Write what was gathered."""
        ...


class Door:
    """Accepts and answers, in whichever thread leads.

    `relay` tells of a thread that waits too long in its lead, `turned` when the loop last turned (monotonic);
    `is_over` is set once everything was answered, or given up, after `stop`.
    """

    def __init__(
        self,
        application: Wsgi,
        manners: Manners,
        cfg: Any,
        limits: DoorLimits,
        listeners: Sequence[Any],
        lines: LogLines | None = None,
        grouping: Grouping | None = None,
    ) -> None:
        self._limits, self._listeners, self._lines = limits, listeners, lines
        self._graceful: float = cfg.graceful_timeout
        self._loop, self._threads = DoorLoop(), FairThreads(cfg.threads)
        self._reception = Reception(cfg, self._loop, limits, base_environ(cfg.workers > 1))
        self.relay = LoopRelay(limits.patience, limits.rest)
        reception = self._reception
        calls = LoopCalls(self._loop.later, reception.finish, reception.turn_away)
        self._groups: WriteGroups | None = None
        if grouping is not None:
            self._groups = WriteGroups(grouping, limits.rest, limits.rest, limits.brief, self._loop.later)
        self._dispatch = Dispatch(
            application, manners, self._threads, limits, self.relay, calls, self._groups
        )
        self._reception.dispatch = self._dispatch
        acceptance = Acceptance(reception.table, reception.welcome, reception.drop)
        self._until: float | None = None
        self._lock, self._called, self._spares = threading.Lock(), SimpleQueue[None](), 0
        self._sweep = OverdueSweep(reception, limits)
        self.turned = time.monotonic()
        self.is_over = threading.Event()
        if lines is not None:
            lines.gather(True)
        for listener in listeners:
            listener.setblocking(False)
            self._loop.watch(listener.fileno(), select.EPOLLIN, partial(acceptance.accept, listener))

    def change_lead(self) -> None:
        """Put another thread at the loop: one that the loop was taken from, once it is free again."""
        with self._lock:
            if self._spares:
                self._spares -= 1
                self._called.put(None)
                return
        threading.Thread(target=self._stand_by, name="loop", daemon=True).start()

    def _stand_by(self) -> None:
        """Lead whenever this thread is called to, until everything is over."""
        while not self._lead():
            with self._lock:
                self._spares += 1
            self._called.get()

    def _lead(self) -> bool:
        """Be the thread at the loop; whether that was to the end, and not until another one is."""
        try:
            while self._until is None or (len(self._reception.table) and time.monotonic() < self._until):
                pause = TURN_SECONDS if self._until is None else STOPPING_SECONDS
                groups, sweep = self._groups, self._sweep
                has_work = sweep.is_under_way or (groups is not None and groups.is_due)
                is_busy = self._loop.turn(0 if has_work else pause)
                if groups is not None:
                    self._answer_groups(groups, is_busy)
                self._write_lines()
                self.turned = time.monotonic()
                sweep.go_on(pause)
        except LoopTaken:
            return False
        for connection in self._reception.table:
            self._reception.drop(connection)
        if self._lines is not None:
            self._lines.gather(False)
        self.is_over.set()
        return True

    def stop(self) -> None:
        """Accept nothing more, and end once all is answered that has come; may be called in any thread."""
        self._loop.later(self._stop)

    def close(self) -> None:
        """Let go of threads, once they have nothing to do, and of the loop and its listeners."""
        self._threads.close()
        self._loop.close()
        for listener in self._listeners:
            listener.close()

    def _write_lines(self) -> None:
        """Write the lines that came up in this turn. Raises LoopTaken when nobody takes them for long."""
        if self._lines is not None:
            leg = self.relay.begin()
            self._lines.flush()
            if not self.relay.end(leg):
                raise LoopTaken

    def _answer_groups(self, groups: WriteGroups, is_busy: bool) -> None:
        """Answer short writes that wait. Raises LoopTaken when another thread leads by then."""
        if groups.gathers(is_busy) or not groups.has_waiting:
            return
        leg, leads = self.relay.begin(), True

        def give_up_lead() -> None:
            nonlocal leads
            if leads:
                leads = self.relay.end(leg) and not self._has_successor()

        groups.answer(give_up_lead)
        if not (leads and self.relay.end(leg)):
            raise LoopTaken

    def _has_successor(self) -> bool:
        """Put another thread at the loop; whether there was one."""
        try:
            self.change_lead()
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
            self._loop.forget(listener.fileno())
        self._reception.is_stopping = self._dispatch.is_last = True
        for connection in self._reception.table:
            if connection.is_idle:
                connection.deadline = min(connection.deadline, now + self._limits.linger)
