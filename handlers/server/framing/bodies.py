"""Framings of bodies: by length or in chunks, read in memory or from the connection."""

from __future__ import annotations

import io
import re
import select
import socket
import time
from collections.abc import Callable
from typing import Any, Protocol

from gunicorn.http.errors import ParseException

from handlers.rules.addresses import GIT

_WRITES = frozenset({"POST", "PUT", "PATCH", "DELETE"})


def is_partial_write(method: str, path: str, *, has_range: bool) -> bool:
    """Return whether a request would write a part of a file; git's requests use Content-Range otherwise."""
    return has_range and method in _WRITES and not path.startswith(GIT)


_TOKEN = rb"[!#$%&'*+\-.^_`|~0-9A-Za-z]+"
# A size line (RFC 9112 section 7.1); extensions are ignored, and quoted ones are refused.
_SIZE_LINE = re.compile(rb"([0-9A-Fa-f]{1,15})(?:;" + _TOKEN + rb"(?:=" + _TOKEN + rb")?)*\r\n")
_TRAILER = re.compile(rb"(" + _TOKEN + rb"):[\t -~\x80-\xff]*")
# Trailers must not change framing, routing or authentication (RFC 9110 section 6.5.1).
_FORBIDDEN = frozenset({
    *(b"content-length", b"transfer-encoding", b"host", b"trailer", b"te", b"connection", b"expect"),
    *(b"authorization", b"cookie", b"upgrade", b"content-type", b"content-encoding", b"content-range"),
})  # fmt: skip
LONGEST_SIZE_LINE = 1024
LONGEST_TRAILERS = 8192
END = b"\r\n"


class MalformedBody(ParseException):  # type: ignore[misc]
    """A body whose framing is broken; `str()` says how."""


class Framing(Protocol):
    """The framing of one body; `announced` is its number of bytes that is known so far."""

    announced: int

    @property
    def is_complete(self) -> bool:
        """Whether the whole body was taken."""

    def take(self, came: bytearray) -> bytes:
        """Remove the body's bytes from the front of a buffer; return their content. Raises MalformedBody."""

    def refuse_end(self) -> None:
        """Raise MalformedBody if the body must not end here."""


class SizedFraming:
    """A body with a Content-Length."""

    __slots__ = ("_taken", "announced")

    def __init__(self, size: int) -> None:
        self.announced, self._taken = size, 0

    @property
    def is_complete(self) -> bool:
        """Whether the whole body was taken."""
        return self._taken == self.announced

    def take(self, came: bytearray) -> bytes:
        """Remove the body's bytes from the front of a buffer; return them."""
        content = bytes(memoryview(came)[: self.announced - self._taken])
        del came[: len(content)]
        self._taken += len(content)
        return content

    def refuse_end(self) -> None:
        """Raise MalformedBody while bytes are missing."""
        if not self.is_complete:
            raise MalformedBody(
                f"the body was cut short: {self._taken} of {self.announced} bytes arrived, nothing was "
                "stored; send it again"
            )


class ChunkedFraming:
    """A body in chunks (RFC 9112 section 7.1); its trailers are checked, then ignored."""

    __slots__ = ("_at", "_left", "_trailers", "announced", "is_complete")

    def __init__(self) -> None:
        self.announced, self.is_complete = 0, False
        self._at = 0
        self._left: int | None = None
        """Missing bytes of a chunk and its line end; None between chunks."""
        self._trailers: int | None = None
        """Bytes of trailers that were taken; None before the trailers."""

    def take(self, came: bytearray) -> bytes:
        """Remove the body's bytes from the front of a buffer; return their content. Raises MalformedBody."""
        pieces: list[bytes] = []
        self._at = 0
        while not self.is_complete and self._goes_on(came, pieces):
            pass
        del came[: self._at]
        return b"".join(pieces)

    def refuse_end(self) -> None:
        """Raise MalformedBody until the last chunk and its trailers have arrived."""
        if not self.is_complete:
            raise MalformedBody(
                "the body was cut short or its chunks are malformed: nothing was stored; send it again"
            )

    def _goes_on(self, came: bytearray, pieces: list[bytes]) -> bool:
        """Remove one part from the front; return whether it was complete."""
        if self._left is not None:
            return self._take_content(came, pieces)
        if self._trailers is not None:
            return self._take_trailer(came)
        return self._take_size(came)

    def _take_size(self, came: bytearray) -> bool:
        line = _SIZE_LINE.match(came, self._at, self._at + LONGEST_SIZE_LINE)
        if line is None:
            end = came.find(b"\n", self._at, self._at + LONGEST_SIZE_LINE)
            if end >= 0 or len(came) - self._at >= LONGEST_SIZE_LINE:
                raise MalformedBody("the size of a chunk is malformed")
            return False
        size = int(line[1], 16)
        self._at = line.end()
        if size:
            self._left = size + len(END)
            self.announced += size
        else:
            self._trailers = 0
        return True

    def _take_content(self, came: bytearray, pieces: list[bytes]) -> bool:
        assert self._left is not None
        content = self._left - len(END)
        if content > 0:
            piece = bytes(memoryview(came)[self._at : self._at + content])
            pieces.append(piece)
            self._at += len(piece)
            self._left -= len(piece)
            if len(piece) < content:
                return False
        end = came[self._at : self._at + len(END)]
        if not END.startswith(end):
            raise MalformedBody("a chunk does not have its announced size")
        if len(end) < len(END):
            return False
        self._at += len(END)
        self._left = None
        return True

    def _take_trailer(self, came: bytearray) -> bool:
        assert self._trailers is not None
        end = came.find(b"\n", self._at, self._at + LONGEST_TRAILERS)
        if end < 0 and len(came) - self._at < LONGEST_TRAILERS:
            return False
        line = bytes(came[self._at : end + 1])
        self._trailers += len(line)
        if end < 0 or self._trailers > LONGEST_TRAILERS:
            raise MalformedBody("the trailers are too long")
        if line != END:
            name = _TRAILER.fullmatch(line.removesuffix(END)) if line.endswith(END) else None
            if name is None or name[1].lower() in _FORBIDDEN:
                raise MalformedBody("a trailer is malformed, or says what only a header may")
        self._at += len(line)
        self.is_complete = line == END
        return True


_PIECE = 1 << 18


class WireReader:
    """Reads from a non-blocking connection; its client has to send fast enough.

    A piece may take at most `patience` seconds, and all together at least `slowest` bytes have to arrive per
    second. `begin` is called before the first read: the client may wait for 100 Continue.
    """

    def __init__(
        self, wire: socket.socket, patience: float, slowest: int, begin: Callable[[], object] | None = None
    ) -> None:
        self._wire, self._patience, self._slowest = wire, patience, slowest
        self._begin = begin
        self._received, self._waited = 0, 0.0

    def receive(self) -> bytes:
        """Return the next piece; b"" at the end of input. Raises TimeoutError."""
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
        """Wait for the next piece; each received byte adds to the time that is left."""
        earned = self._patience + self._received / self._slowest - self._waited
        began = time.monotonic()
        poll = select.poll()
        poll.register(self._wire, select.POLLIN)
        if not poll.poll(max(0.0, min(self._patience, earned)) * 1000):
            raise TimeoutError("the client sends too slowly")
        self._waited += time.monotonic() - began


class LongBody(io.RawIOBase):
    """The content of a long body; `content` has arrived, `came` holds what follows on the connection."""

    def __init__(self, content: bytes, framing: Framing, came: bytearray, wire: WireReader) -> None:
        super().__init__()
        self._content, self._framing, self._came, self._wire = memoryview(content), framing, came, wire

    def readable(self) -> bool:
        """Return True: the stream is readable."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read into a buffer; return the number of bytes, 0 at the end.

        Raises MalformedBody if the body is incomplete or its framing is wrong, TimeoutError if the client is
        too slow.
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
