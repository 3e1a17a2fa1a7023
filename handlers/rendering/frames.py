"""Messages between processes: a JSON head and a body of bytes, each behind its length."""

from __future__ import annotations

import json
import struct
from typing import Any, Protocol

HEAD = struct.Struct(">II")
LARGEST_HEAD = 256 << 20
LARGEST_BODY = 512 << 20


class Readable(Protocol):
    """The reading end of a pipe."""

    def read(self, size: int, /) -> bytes | None: ...


class Writable(Protocol):
    """The writing end of a pipe."""

    def write(self, data: bytes, /) -> object: ...
    def flush(self) -> None: ...


class BrokenMessage(EOFError):
    """Raised when a message ends early or is larger than any may be."""


def write_message(pipe: Writable, head: dict[str, Any], body: bytes = b"") -> None:
    """Write one message and flush it."""
    text = json.dumps(head).encode()
    pipe.write(HEAD.pack(len(text), len(body)))
    pipe.write(text)
    pipe.write(body)
    pipe.flush()


def read_message(pipe: Readable) -> tuple[dict[str, Any], bytes]:
    """Read one message. Raises BrokenMessage."""
    size, rest = HEAD.unpack(_exactly(pipe, HEAD.size))
    if size > LARGEST_HEAD or rest > LARGEST_BODY:
        raise BrokenMessage(f"a message of {size + rest:,} bytes")
    try:
        head = json.loads(_exactly(pipe, size))
    except ValueError as error:
        raise BrokenMessage(str(error)) from None
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
