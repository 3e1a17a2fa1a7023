"""SwitchedConnections: connections that have changed their protocol, and the server side of each."""

from __future__ import annotations

import contextlib
import select
import socket
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from handlers.server.application import SwitchedProtocol
from handlers.server.connections import ClientConnection, Stage
from handlers.server.send_buffer import SendBuffer

READ_AT_ONCE = 2 << 10
"""Bytes that are read at a time; others wait for the loop while they are processed."""
KERNEL_BUFFER = 64 << 10
"""Bytes that the kernel buffers for a client that receives nothing."""


@dataclass(frozen=True, slots=True)
class ConnectionCalls:
    """The calls that continue connections; `later` schedules one on the loop."""

    later: Callable[..., object]
    watch: Callable[[ClientConnection, int], object]
    send_on: Callable[[ClientConnection], object]
    part: Callable[[ClientConnection], object]
    drop: Callable[[ClientConnection], object]


class BufferedWire:
    """The wire of a switched connection (handlers.server.application.SwitchedWire)."""

    __slots__ = ("_buffer", "_part")

    def __init__(self, buffer: SendBuffer, part: Callable[[], object]) -> None:
        """Make the wire; `part` ends the connection."""
        self._buffer, self._part = buffer, part

    @property
    def unsent(self) -> int:
        """The buffered bytes."""
        return self._buffer.size

    def put(self, data: bytes) -> None:
        """Send bytes; they are dropped if the connection is closed."""
        with contextlib.suppress(OSError):
            self._buffer.put(data)

    def close(self) -> None:
        """End the connection."""
        self._part()


class SwitchedConnections:
    """Work of the loop for connections that have changed their protocol; `piece` is the read buffer."""

    def __init__(self, calls: ConnectionCalls, piece: memoryview) -> None:
        self._calls = calls
        self._piece = piece

    def begin(self, connection: ClientConnection, protocol: SwitchedProtocol) -> None:
        """Change the protocol; bytes after the request are passed on first."""
        connection.stage = Stage.SWITCHED
        with contextlib.suppress(OSError):
            connection.wire.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, KERNEL_BUFFER)
        rest = connection.assembly.take_rest()
        self._calls.watch(connection, select.EPOLLIN)
        protocol.begin(
            BufferedWire(connection.send_buffer, partial(self._calls.later, self._part, connection))
        )
        if rest:
            protocol.receive(rest)

    def on_events(self, connection: ClientConnection, events: int) -> None:
        """Send buffered bytes, and process received ones."""
        if events & select.EPOLLOUT:
            self._calls.send_on(connection)
        if connection.stage is Stage.SWITCHED and events & ~select.EPOLLOUT:
            self._read(connection)

    def _read(self, connection: ClientConnection) -> None:
        try:
            data = bytes(self._piece[: connection.wire.recv_into(self._piece, READ_AT_ONCE)])
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if data and connection.switched is not None:
            connection.switched.receive(data)
        else:
            self._calls.drop(connection)

    def _part(self, connection: ClientConnection) -> None:
        """End a connection; drop what a slow client has not received."""
        if connection.stage is Stage.SWITCHED and connection.wire.fileno() >= 0:
            self._calls.part(connection)
