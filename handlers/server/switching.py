"""SwitchedConnections: connections that have changed their protocol, and our side of each."""

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
"""Bytes that are read at a time: others wait for the loop while they are taken in."""
KERNEL_BUFFER = 64 << 10
"""Bytes that the kernel keeps for a client which takes nothing."""


@dataclass(frozen=True, slots=True)
class ConnectionCalls:
    """The calls by which connections go on: `later` makes one on the loop, where the others are made."""

    later: Callable[..., object]
    watch: Callable[[ClientConnection, int], object]
    send_on: Callable[[ClientConnection], object]
    part: Callable[[ClientConnection], object]
    drop: Callable[[ClientConnection], object]


class BufferedWire:
    """The wire of a switched connection (handlers.server.application.SwitchedWire)."""

    __slots__ = ("_buffer", "_part")

    def __init__(self, buffer: SendBuffer, part: Callable[[], object]) -> None:
        """`part` has the connection ended."""
        self._buffer, self._part = buffer, part

    @property
    def unsent(self) -> int:
        """The bytes that are kept here."""
        return self._buffer.size

    def put(self, data: bytes) -> None:
        """Send bytes; they are lost where the connection is over."""
        with contextlib.suppress(OSError):
            self._buffer.put(data)

    def close(self) -> None:
        """End the connection."""
        self._part()


class SwitchedConnections:
    """Work of the loop on connections that have changed their protocol; `piece` is read into."""

    def __init__(self, calls: ConnectionCalls, piece: memoryview) -> None:
        self._calls = calls
        self._piece = piece

    def begin(self, connection: ClientConnection, protocol: SwitchedProtocol) -> None:
        """Go on by another protocol, with what came behind the request first."""
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
        """Send on, and take in what came."""
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
        """End a connection; what a slow client has not taken is lost."""
        if connection.stage is Stage.SWITCHED and connection.wire.fileno() >= 0:
            self._calls.part(connection)
