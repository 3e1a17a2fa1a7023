"""Connections of the rendering service: sockets in folders of any depth, and messages that end in time."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

LARGEST_PIECE = 1 << 20


class TimedConnection:
    """The two ends of a connection as pipes; every reading and writing is over at one moment.

    Raises TimeoutError when it is not.
    """

    def __init__(self, connection: socket.socket, seconds: float) -> None:
        self._connection = connection
        self.allow(seconds)

    def allow(self, seconds: float) -> None:
        """Put the moment off: so many seconds from here."""
        self._until = time.monotonic() + seconds

    def read(self, size: int, /) -> bytes:
        """As many bytes as there are, `size` at most; none when the other side has closed."""
        self._connection.settimeout(self._remaining())
        return self._connection.recv(min(size, LARGEST_PIECE))

    def write(self, data: bytes, /) -> None:
        """Send everything."""
        self._connection.settimeout(self._remaining())
        self._connection.sendall(data)

    def flush(self) -> None:
        """Do nothing: nothing is kept back."""

    def _remaining(self) -> float:
        left = self._until - time.monotonic()
        if left <= 0:
            raise TimeoutError("the time for this message is over")
        return left


@contextmanager
def short_address(path: Path) -> Iterator[str]:
    """A name for the socket at `path` that is short enough for sockaddr_un, however deep its folder lies."""
    folder = os.open(path.parent, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield f"/proc/self/fd/{folder}/{path.name}"
    finally:
        os.close(folder)
