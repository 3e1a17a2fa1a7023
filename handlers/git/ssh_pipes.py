"""The pipes of a session over SSH: what a client sends and takes, neither awaited for ever."""

from __future__ import annotations

import os
import select
import time
from collections.abc import Iterator

from vfs.errors import Invalid

PIECE = 1 << 16
TICK = 1.0


class ClientGone(Exception):
    """The client has left, or takes nothing any more."""


class SshPipes:
    """Two descriptors to a client; `silence` is how many seconds neither side may say nothing."""

    def __init__(self, source: int, sink: int, silence: float) -> None:
        self._source = source
        self._sink = sink
        self._silence = silence
        self._last = time.monotonic()
        for each in (source, sink):
            os.set_blocking(each, False)

    def pieces(self) -> Iterator[bytes]:
        """Pieces that the client sends, until it ends. Raises Invalid when both sides fall silent."""
        poll = select.poll()
        poll.register(self._source, select.POLLIN | select.POLLHUP)
        while True:
            if not poll.poll(TICK * 1000):
                if time.monotonic() - self._last > self._silence:
                    raise Invalid(f"nothing was said for {self._silence:.0f} seconds; try again")
                continue
            try:
                piece = os.read(self._source, PIECE)
            except BlockingIOError:
                continue
            if not piece:
                return
            self._last = time.monotonic()
            yield piece

    def send(self, piece: bytes) -> None:
        """Send all of a piece. Raises ClientGone."""
        poll, rest = select.poll(), memoryview(piece)
        poll.register(self._sink, select.POLLOUT)
        while rest:
            if not poll.poll(self._silence * 1000):
                raise ClientGone
            try:
                rest = rest[os.write(self._sink, rest) :]
            except BlockingIOError:
                continue
            except OSError as error:
                raise ClientGone from error
            self._last = time.monotonic()
