"""LongBody: a body that is not waited for, read by a thread as it comes."""

from __future__ import annotations

import io
import select
import socket
import time
from collections.abc import Callable
from typing import Any

from handlers.server.framing.bodies import Framing

_PIECE = 1 << 18


class WireReader:
    """Reads on from a connection that stays non-blocking; its client has to send fast enough.

    No piece may take longer than `patience` seconds, nor all fewer than `slowest` bytes a second. `begin` is
    called before the first is read: only then does anybody want the body.
    """

    def __init__(
        self, wire: socket.socket, patience: float, slowest: int, begin: Callable[[], object] | None = None
    ) -> None:
        self._wire, self._patience, self._slowest = wire, patience, slowest
        self._begin = begin
        self._received, self._waited = 0, 0.0

    def receive(self) -> bytes:
        """The next piece, nothing where the client is done. Raises TimeoutError when none comes."""
        if self._begin is not None:
            self._begin()
            self._begin = None
        try:
            received = self._wire.recv(_PIECE)
        except BlockingIOError:
            self._wait()
            received = self._wire.recv(_PIECE)
        self._received += len(received)
        return received

    def _wait(self) -> None:
        """Wait for the next piece, as long as the client has earned by what it has sent."""
        earned = self._patience + self._received / self._slowest - self._waited
        began = time.monotonic()
        poll = select.poll()
        poll.register(self._wire, select.POLLIN)
        if not poll.poll(max(0.0, min(self._patience, earned)) * 1000):
            raise TimeoutError("the client sends too slowly")
        self._waited += time.monotonic() - began


class LongBody(io.RawIOBase):
    """The content of a body: `content` of it is there; `came` holds what follows on the connection."""

    def __init__(self, content: bytes, framing: Framing, came: bytearray, wire: WireReader) -> None:
        super().__init__()
        self._content, self._framing, self._came, self._wire = memoryview(content), framing, came, wire

    def readable(self) -> bool:
        """True: a body can be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill some of a buffer; with how many bytes, none at the end.

        Raises MalformedBody where the body is cut short or its framing is broken, TimeoutError where its
        client is too slow.
        """
        while not self._content and not self._framing.is_complete:
            received = self._wire.receive()
            if not received:
                self._framing.refuse_end()
            self._came += received
            self._content = memoryview(self._framing.take(self._came))
        room = memoryview(buffer).cast("B")
        size = min(len(room), len(self._content))
        room[:size] = self._content[:size]
        self._content = self._content[size:]
        return size
