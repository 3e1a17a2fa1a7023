"""ConnectionHandler: the work of the loop on each connection, from its beginning to its end."""

from __future__ import annotations

import contextlib
import logging
import select
import socket
import time
from functools import partial
from typing import Any

from gunicorn.http.errors import ParseException

from handlers.server.application import Environ
from handlers.server.connections import ClientConnection, ConnectionTable, Stage
from handlers.server.dispatch import Dispatch
from handlers.server.event_loop import EventLoop
from handlers.server.framing.assembly import Arrival, RequestAssembly
from handlers.server.framing.wire_request import ParserSettings
from handlers.server.limits import BufferBudget, ClientLimits, ReaderWaits
from handlers.server.refusals import MEMORY, Refusals, malformed_word
from handlers.server.send_buffer import SendBuffer
from handlers.server.switching import ConnectionCalls, SwitchedConnections
from handlers.server.wsgi_environ import connection_environ

log = logging.getLogger("gunicorn.error")

AT_ONCE = 32
SENDERS = frozenset({Stage.SENDING, Stage.SERVING, Stage.SWITCHED})
PIECE = 1 << 16
IN, OUT = select.EPOLLIN, select.EPOLLOUT
BROKEN = select.EPOLLHUP | select.EPOLLERR
NO_MEMORY = "the service has no memory left for requests and responses: try again soon"


class ConnectionHandler:
    """Reads requests, has `dispatch` answer them, and sends what a slow client has not received yet.

    Only the loop calls it; other threads use `loop.later`.
    """

    def __init__(
        self, cfg: Any, loop: EventLoop, limits: ClientLimits, base: Environ, refusals: Refusals
    ) -> None:
        self._cfg = ParserSettings(cfg)
        self._loop = loop
        self._limits = limits
        self._base, self._refusals = base, refusals
        self._budget, self._waits = BufferBudget(limits.buffers), ReaderWaits(limits.readers)
        # Reused: a new block of this size for each piece would be allocated and freed by the kernel.
        self._piece = memoryview(bytearray(PIECE))
        calls = ConnectionCalls(loop.later, self._watch, self._send_on, self.part, self.drop)
        self._switched = SwitchedConnections(calls, self._piece)
        self.table = ConnectionTable(limits)
        self.dispatch: Dispatch | None = None
        self.is_stopping = False

    @property
    def buffered(self) -> int:
        """The bytes of unfinished requests and unsent responses."""
        return self._budget.taken

    def begin(self, wire: socket.socket, peer: Any, here: Any) -> None:
        """Start to read from a new connection; a UNIX socket has no peer address."""
        address = peer[0] if isinstance(peer, tuple) else ""
        environ = connection_environ(self._base, wire, peer, here)
        assembly = RequestAssembly(self._cfg, self._limits, peer)
        connection: ClientConnection
        wake = lambda: self._loop.later(self._send_on, connection)  # noqa: E731
        send_buffer = SendBuffer(wire, self._budget, self._waits, self._limits.send_buffer, wake)
        connection = ClientConnection(wire, address, assembly, send_buffer, environ)
        connection.deadline = time.monotonic() + self._limits.head
        self.table.add(connection)
        self._watch(connection, IN)

    def _watch(self, connection: ClientConnection, mask: int) -> None:
        """Watch a connection for these events only."""
        if mask == connection.mask:
            return
        if not connection.mask:
            self._loop.watch(connection.file, mask, partial(self._on_events, connection))
        elif mask:
            self._loop.change(connection.file, mask)
        else:
            self._loop.forget(connection.file)
        connection.mask = mask

    def drop(self, connection: ClientConnection) -> None:
        """Close a connection; one in a thread is shut down, and closed when the thread notices."""
        if connection.stage is Stage.SERVING:
            connection.send_buffer.close()
            with contextlib.suppress(OSError):
                connection.wire.shutdown(socket.SHUT_RDWR)
        elif self.table.remove(connection):
            self._watch(connection, 0)
            self._count(connection, 0)
            connection.close()

    def _on_events(self, connection: ClientConnection, events: int) -> None:
        if connection.stage is Stage.READING:
            self._read(connection)
        elif connection.stage is Stage.DRAINING:
            self._drain(connection)
        elif connection.stage is Stage.SWITCHED:
            self._switched.on_events(connection, events)
        elif events & OUT:
            self._send_on(connection)
        elif connection.stage is Stage.SENDING:
            self.drop(connection)
        else:
            self._watch(connection, 0)
            if events & BROKEN:
                connection.send_buffer.close()

    def _read(self, connection: ClientConnection) -> None:
        try:
            data = bytes(self._piece[: connection.wire.recv_into(self._piece)])
        except BlockingIOError:
            return
        except OSError:
            self.drop(connection)
            return
        self._take(connection, data)

    def _take(self, connection: ClientConnection, data: bytes) -> None:
        """Process bytes that were read from a connection; none if the client has closed its side."""
        if not data:
            self.end(connection)
            return
        began = connection.is_idle
        try:
            arrival = connection.assembly.feed(data)
        except ParseException as error:
            self.refuse(connection, error)
            return
        if began:
            connection.deadline = time.monotonic() + self._limits.head
        self.go_on(connection, arrival)

    def end(self, connection: ClientConnection) -> None:
        """Handle the end of input, or a timeout: refuse an unfinished request."""
        try:
            connection.assembly.end()
        except ParseException as error:
            self.refuse(connection, error)
        else:
            self.drop(connection)

    def go_on(self, connection: ClientConnection, arrival: Arrival) -> None:
        """Have a request answered once it is complete."""
        if arrival in (Arrival.HEAD, Arrival.BODY):
            self._count(connection, connection.assembly.size)
            if arrival is Arrival.BODY:
                self._await_body(connection)
            return self.make_room()
        if connection.kept:
            self._count(connection, connection.assembly.size)
        connection.stage = Stage.SERVING
        connection.is_long = arrival is Arrival.LONG
        if connection.is_long:
            self._watch(connection, 0)
        return self._serve(connection)

    def _serve(self, connection: ClientConnection) -> None:
        assert self.dispatch is not None
        try:
            self.dispatch.answer(connection)
        except Exception:
            # No other code would close the connection after this error.
            connection.stage = Stage.SENDING
            self.drop(connection)
            raise

    def make_room(self) -> None:
        """Close the largest connections until the buffers are within their budget."""
        while self._budget.is_spent and (hoarder := self.table.find_hoarder()) is not None:
            if hoarder.stage is Stage.READING:
                self.turn_away(hoarder, self._refusals.answer(MEMORY, NO_MEMORY))
            else:
                self._refusals.note_closed(MEMORY)
                self.drop(hoarder)

    def _await_body(self, connection: ClientConnection) -> None:
        if not connection.awaits_body:
            connection.awaits_body = True
            connection.deadline = time.monotonic() + self._limits.body

    def finish(self, connection: ClientConnection, keeps: bool) -> None:
        """Continue after a response, once the client has received it."""
        connection.goes_on = keeps
        connection.stage = Stage.SENDING
        self._send_on(connection)

    def _send_on(self, connection: ClientConnection) -> None:
        if connection.stage not in SENDERS or connection.wire.fileno() < 0:
            return
        try:
            is_sent = connection.send_buffer.flush()
        except OSError:
            connection.send_buffer.close()
            is_sent = True
        if not connection.send_buffer.is_open:
            self._lose(connection)
        elif not is_sent:
            self._watch(connection, OUT | IN if connection.stage is Stage.SWITCHED else OUT)
            self.make_room()
        elif connection.stage is Stage.SENDING:
            self._begin_next(connection)
        elif connection.stage is Stage.SWITCHED:
            self._watch(connection, IN)
        else:
            self._watch(connection, 0)

    def _lose(self, connection: ClientConnection) -> None:
        """Drop a connection whose client is gone, unless a thread works for it."""
        if connection.stage is Stage.SERVING:
            self._watch(connection, 0)
        else:
            self.drop(connection)

    def _begin_next(self, connection: ClientConnection) -> None:
        """Wait for the next request, or drain the connection and close it."""
        if connection.switched is not None:
            self._count(connection, 0)
            return self._switched.begin(connection, connection.switched)
        if not (connection.goes_on and connection.assembly.is_body_over):
            return self.part(connection)
        connection.awaits_body = False
        connection.stage = Stage.READING
        self._watch(connection, IN)
        try:
            arrival = connection.assembly.begin_next()
        except ParseException as error:
            return self.refuse(connection, error)
        self._count(connection, 0)
        if connection.assembly.is_empty:
            patience = self._limits.linger if self.is_stopping else self._limits.idle
            connection.deadline = time.monotonic() + patience
            return None
        connection.deadline = time.monotonic() + self._limits.head
        if arrival in (Arrival.WHOLE, Arrival.LONG):
            connection.stage = Stage.SERVING
            return self._loop.later(self.go_on, connection, arrival)
        return self.go_on(connection, arrival)

    def refuse(self, connection: ClientConnection, error: ParseException) -> None:
        """Send an error response to an invalid request."""
        log.warning("malformed request from %s: %s", connection.address or "a socket", error)
        reason = f"the request is malformed: {error}"
        self.turn_away(connection, self._refusals.answer(malformed_word(error), reason))

    def turn_away(self, connection: ClientConnection, answer: bytes) -> None:
        """Send a last response, then close the connection."""
        with contextlib.suppress(OSError):
            connection.send_buffer.put(answer)
        self.finish(connection, keeps=False)

    def part(self, connection: ClientConnection) -> None:
        """Close our side, then wait briefly for the client, so that it does not lose the response."""
        self._count(connection, 0)
        connection.assembly.forget()
        connection.end_switched()
        connection.stage = Stage.DRAINING
        connection.thrown = 0
        connection.deadline = time.monotonic() + self._limits.unread_seconds
        try:
            connection.wire.shutdown(socket.SHUT_WR)
        except OSError:
            return self.drop(connection)
        return self._watch(connection, IN)

    def _drain(self, connection: ClientConnection) -> None:
        try:
            for _ in range(AT_ONCE):
                size = connection.wire.recv_into(self._piece)
                connection.thrown += size
                if not size or connection.thrown > self._limits.unread:
                    return self.drop(connection)
        except BlockingIOError:
            return None
        except OSError:
            return self.drop(connection)

    def _count(self, connection: ClientConnection, size: int) -> None:
        """Count the bytes of an unfinished request in the common budget."""
        if size != connection.kept:
            self._budget.take(size - connection.kept)
            connection.kept = size
