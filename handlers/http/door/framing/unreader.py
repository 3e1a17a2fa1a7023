"""WireUnreader: the bytes of a connection that were read and not yet used, and those that follow them."""

from __future__ import annotations

import io
import select
import socket
import time

from gunicorn.http.unreader import Unreader

_LARGEST = 1 << 20
_USUAL = 1 << 16


class WireUnreader(Unreader):  # type: ignore[misc]
    """Bytes in memory for gunicorn's parser and body readers.

    They end there, until `follow` lets a thread wait for more on the connection, which stays non-blocking.
    """

    def __init__(self, received: bytes = b"") -> None:
        self.buf = io.BytesIO(received)
        self.buf.seek(0, io.SEEK_END)
        self._wire: socket.socket | None = None
        self._patience = 0.0
        self._slowest = 0
        self._received, self._waited = 0, 0.0

    def append(self, received: bytes) -> None:
        """Add bytes that came in."""
        self.buf.seek(0, io.SEEK_END)
        self.buf.write(received)

    def follow(self, wire: socket.socket, patience: float, slowest: int) -> None:
        """Read on from a connection: no piece may take so many seconds, nor all fewer bytes a second."""
        self._wire, self._patience, self._slowest = wire, patience, slowest

    def chunk(self, size_hint: int | None = None) -> bytes:
        """The next piece of the connection. Raises TimeoutError when none comes."""
        if self._wire is None:
            return b""
        size = min(max(size_hint or 0, _USUAL), _LARGEST)
        try:
            received = self._wire.recv(size)
        except BlockingIOError:
            self._wait(self._wire)
            received = self._wire.recv(size)
        self._received += len(received)
        return received

    def _wait(self, wire: socket.socket) -> None:
        """Wait for the next piece, as long as the client has earned by what it has sent."""
        earned = self._patience + self._received / self._slowest - self._waited
        began = time.monotonic()
        poll = select.poll()
        poll.register(wire, select.POLLIN)
        if not poll.poll(max(0.0, min(self._patience, earned)) * 1000):
            raise TimeoutError("the client sends too slowly")
        self._waited += time.monotonic() - began
