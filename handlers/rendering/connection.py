"""Connections of the rendering service: messages of a head and a body, with a deadline."""

from __future__ import annotations

import json
import os
import socket
import struct
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

HEAD = struct.Struct(">II")
LARGEST_HEAD = 256 << 20
LARGEST_BODY = 64 << 20
"""Maximum bytes of a render."""


class Readable(Protocol):
    """The reading end of a pipe."""

    def read(self, size: int, /) -> bytes | None: ...


class Writable(Protocol):
    """The writing end of a pipe."""

    def write(self, data: bytes, /) -> object: ...
    def flush(self) -> None: ...


class BrokenMessage(EOFError):
    """Raised when a message ends early or is too large."""


def write_message(pipe: Writable, head: dict[str, Any], body: bytes = b"") -> None:
    """Write one message and flush it."""
    write_parts(pipe, json.dumps(head).encode(), body)


def write_parts(pipe: Writable, head: bytes, body: bytes = b"") -> None:
    """Write one message whose head is already JSON, and flush it."""
    pipe.write(HEAD.pack(len(head), len(body)) + head)
    # A reader of a whole message may have answered and closed: do not write an empty body.
    if body:
        pipe.write(body)
    pipe.flush()


def read_message(pipe: Readable) -> tuple[dict[str, Any], bytes]:
    """Read one message. Raises BrokenMessage."""
    return read_parts(pipe, *read_sizes(pipe))


def read_sizes(pipe: Readable) -> tuple[int, int]:
    """Read the sizes of the next message's head and body. Raises BrokenMessage."""
    size, rest = HEAD.unpack(_exactly(pipe, HEAD.size))
    if size > LARGEST_HEAD or rest > LARGEST_BODY:
        raise BrokenMessage(f"a message of {size + rest:,} bytes")
    return size, rest


def read_parts(pipe: Readable, size: int, rest: int) -> tuple[dict[str, Any], bytes]:
    """Read head and body after their sizes. Raises BrokenMessage."""
    try:
        head = json.loads(_exactly(pipe, size))
    except ValueError as error:
        raise BrokenMessage(str(error)) from None
    except RecursionError:
        raise BrokenMessage("a head that is nested too deeply") from None
    if not isinstance(head, dict):
        raise BrokenMessage("a head that is no object")
    return head, _exactly(pipe, rest)


def _exactly(pipe: Readable, size: int) -> bytes:
    pieces = []
    while size:
        piece = pipe.read(size)
        if not piece:
            raise BrokenMessage("the other side has closed")
        pieces.append(piece)
        size -= len(piece)
    return b"".join(pieces)


LARGEST_PIECE = 1 << 20


class TimedConnection:
    """The two ends of a connection as pipes, with one deadline for all reads and writes.

    Raises TimeoutError after it.
    """

    def __init__(self, connection: socket.socket, seconds: float) -> None:
        self._connection = connection
        self.allow(seconds)

    def allow(self, seconds: float) -> None:
        """Set the deadline to `seconds` from now."""
        self._until = time.monotonic() + seconds

    def read(self, size: int, /) -> bytes:
        """Return the available bytes, at most `size`; b"" if the other side has closed."""
        self._connection.settimeout(self._remaining())
        return self._connection.recv(min(size, LARGEST_PIECE))

    def write(self, data: bytes, /) -> None:
        """Send everything."""
        self._connection.settimeout(self._remaining())
        self._connection.sendall(data)

    def flush(self) -> None:
        """Do nothing: nothing is buffered."""

    def _remaining(self) -> float:
        left = self._until - time.monotonic()
        if left <= 0:
            raise TimeoutError("the time for this message is over")
        return left


@contextmanager
def short_address(path: Path) -> Iterator[str]:
    """Yield an address for the socket at `path` that is short enough for sockaddr_un."""
    folder = os.open(path.parent, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield f"/proc/self/fd/{folder}/{path.name}"
    finally:
        os.close(folder)
