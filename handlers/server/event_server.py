"""EventServer: the composition of a worker, and its loop until it stops."""

from __future__ import annotations

import contextlib
import errno
import select
import socket
import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from handlers.server.application import Occupancy, ServedApplication
from handlers.server.connection_handler import ConnectionHandler
from handlers.server.connections import ClientConnection, ConnectionTable
from handlers.server.dispatch import Dispatch, LoopCalls
from handlers.server.event_loop import EventLoop
from handlers.server.fair_pool import SLOW, FairPool
from handlers.server.limits import ClientLimits
from handlers.server.refusals import CONNECTIONS, CountRefusal, Refusals
from handlers.server.timeouts import TimeoutSweep
from handlers.server.wsgi_environ import base_environ

AT_ONCE = 32
NO_FILES = frozenset({errno.EMFILE, errno.ENFILE})
FULL = "the service has reached its maximum of connections: try again soon"


class Acceptor:
    """Accepts connections and passes them to `begin` with both addresses; `drop` closes one."""

    def __init__(
        self,
        table: ConnectionTable,
        begin: Callable[[socket.socket, Any, Any], object],
        drop: Callable[[ClientConnection], object],
        refusals: Refusals,
    ) -> None:
        self._table = table
        self._begin = begin
        self._drop = drop
        self._refusals = refusals

    def accept(self, listener: socket.socket, events: int) -> None:
        """Accept waiting connections."""
        for _ in range(AT_ONCE):
            try:
                wire, peer = listener.accept()
            except BlockingIOError:
                return
            except OSError as error:
                if error.errno in NO_FILES:
                    self._make_room("")
                return
            wire.setblocking(False)
            if wire.family != socket.AF_UNIX:
                wire.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._admit(wire, peer, listener.getsockname())

    def _admit(self, wire: socket.socket, peer: Any, here: Any) -> None:
        """Admit a connection if there is room or another one can be closed; else refuse it."""
        address = peer[0] if isinstance(peer, tuple) else ""
        if self._table.is_full_for(address) and not self._make_room(address):
            with contextlib.suppress(OSError), wire:
                wire.send(self._refusals.answer(CONNECTIONS, FULL))
            return
        self._begin(wire, peer, here)

    def _make_room(self, address: str) -> bool:
        """Close a connection to make room for one of this address; return whether one was closed."""
        victim = self._table.find_victim(address)
        if victim is not None:
            self._refusals.note_closed(CONNECTIONS)
            self._drop(victim)
        return victim is not None


TURN_SECONDS = 1.0
STOPPING_SECONDS = 0.1


class EventServer:
    """Moves the bytes of connections in one thread, and has requests answered in others.

    `turned` is when the loop last turned (monotonic); `is_over` is set after `stop`, when all requests are
    answered or dropped.
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
        self._graceful: float = cfg.graceful_timeout
        self._loop = EventLoop()
        self._pool = FairPool(cfg.threads)
        base = base_environ(cfg.workers > 1)
        refusals = Refusals(application.refuse, count_refusal)
        self._handler = handler = ConnectionHandler(cfg, self._loop, limits, base, refusals)
        calls = LoopCalls(self._loop.later, handler.finish, handler.turn_away)
        self._dispatch = Dispatch(application, self._pool, limits, calls, refusals)
        handler.dispatch = self._dispatch
        self._sweep = TimeoutSweep(handler, limits, refusals)
        self.turned = time.monotonic()
        self.is_over = threading.Event()
        self._until: float | None = None
        self._acceptor = Acceptor(handler.table, handler.begin, handler.drop, refusals)

    def start(self) -> None:
        """Start to accept connections, in the thread of the loop."""
        for listener in self._listeners:
            listener.setblocking(False)
            self._loop.watch(listener.fileno(), select.EPOLLIN, partial(self._acceptor.accept, listener))
        threading.Thread(target=self._run, name="loop", daemon=True).start()

    def _run(self) -> None:
        """Turn the loop until it is stopped."""
        while self._until is None or (len(self._handler.table) and time.monotonic() < self._until):
            pause = TURN_SECONDS if self._until is None else STOPPING_SECONDS
            self._loop.turn(0 if self._sweep.is_under_way else SLOW if self._pool.has_waiting else pause)
            self.turned = time.monotonic()
            if self._pool.has_waiting:
                self._pool.relieve()
            self._sweep.go_on(pause)
        for connection in self._handler.table:
            self._handler.drop(connection)
        self.is_over.set()

    def occupancy(self) -> Occupancy:
        """Return the present load of this worker; safe in any thread."""
        at_work, waiting = self._pool.count()
        return Occupancy(len(self._handler.table), at_work, waiting, self._handler.buffered)

    def stop(self) -> None:
        """Stop accepting, and end once all received requests are answered; safe in any thread."""
        self._loop.later(self._stop)

    def close(self) -> None:
        """Release the threads, once they are idle, and the loop."""
        self._pool.close()
        self._loop.close()

    def _stop(self) -> None:
        """Stop accepting; idle connections get a short time for a last request."""
        if self._until is not None:
            return
        now = time.monotonic()
        self._until = now + self._graceful
        for listener in self._listeners:
            # Waiting connections would otherwise be neither served nor refused until this process ends.
            self._acceptor.accept(listener, select.EPOLLIN)
            self._loop.forget(listener.fileno())
            listener.close()
        self._handler.is_stopping = self._dispatch.is_last = True
        for connection in self._handler.table:
            if connection.is_idle:
                patience = self._limits.linger if connection.goes_on else self._limits.linger_first
                connection.deadline = min(connection.deadline, now + patience)
