"""ResponseWriter: frames a response (RFC 9112 section 6) and writes it to a send buffer."""

from __future__ import annotations

import contextlib
import re
import time
from collections.abc import Callable, Iterable, Iterator
from email.utils import formatdate
from importlib.metadata import version
from typing import Any

from gunicorn.http.errors import InvalidResponseHeader

from handlers.server.framing.wire_request import WireRequest
from handlers.server.send_buffer import SendBuffer

_HEAD = re.compile(r"(?:[!#$%&'*+\-.^_`|~0-9A-Za-z]+: [\t\x20-\x7e\x80-\xff]*\r\n)*")
_HOP_BY_HOP = frozenset({"connection", "keep-alive", "transfer-encoding", "upgrade", "te", "trailer"})
SWITCHING = "101"
_SMALL = 1 << 16
_SERVER = f"curlew/{version('curlew')}"
Headers = list[tuple[str, str]]


class FileAnswer:
    """A response of the application that is a file (PEP 3333's file wrapper).

    `number`: its descriptor. None if it has none, and is read in pieces.
    """

    def __init__(self, file: Any, block: int = _SMALL) -> None:
        self.file = file
        self.number: int | None = None
        with contextlib.suppress(AttributeError, OSError):
            self.number = file.fileno()

    def __iter__(self) -> Iterator[bytes]:
        while piece := self.file.read(_SMALL):
            yield piece

    def close(self) -> None:
        """Close the file."""
        self.file.close()


class DateHeader:
    """The first header lines of every response, made once a second."""

    def __init__(self) -> None:
        self._second = 0
        self._lines = b""

    def lines(self) -> bytes:
        """Return the lines for Server and Date."""
        second = int(time.time())
        if second != self._second:
            self._second = second
            self._lines = f"Server: {_SERVER}\r\nDate: {formatdate(second, usegmt=True)}\r\n".encode()
        return self._lines


def constant_answer(rest: bytes, dates: DateHeader, *, keeps: bool) -> bytes:
    """Return the whole response with the headers and body in `rest`."""
    connection = b"keep-alive" if keeps else b"close"
    return b"HTTP/1.1 200 OK\r\n%bConnection: %b\r\n%b" % (dates.lines(), connection, rest)


class ResponseWriter:
    """Writes one response; `keeps` says whether the connection stays open after it.

    It waits at most `patience` seconds for a client that receives nothing.
    """

    def __init__(
        self, request: WireRequest, send_buffer: SendBuffer, dates: DateHeader, *, keeps: bool
    ) -> None:
        self._request, self._buffer, self._dates = request, send_buffer, dates
        self._status, self._headers = "", ""
        self._length: int | None = None
        self._bare = False
        self._chunked = False
        self.keeps = keeps
        self.is_begun = False

    @property
    def is_switching(self) -> bool:
        """Whether the connection changes its protocol."""
        return self._status.startswith(SWITCHING)

    def start_response(self, status: str, headers: Headers, exc_info: Any = None) -> Callable[..., None]:
        """Set status and headers (PEP 3333). Raises InvalidResponseHeader if HTTP does not allow them."""
        if self._status and exc_info is None:
            raise AssertionError("the response has begun already")
        code = status[:3]
        self._status = status
        self._bare = self._request.method == "HEAD" or code in (SWITCHING, "204", "304")
        lines = []
        for name, value in headers:
            low = name.lower()
            if low == "content-length":
                self._length = int(value)
                if code == "204":
                    continue
            elif low in _HOP_BY_HOP and not (low == "upgrade" and code == SWITCHING):
                continue
            lines.append(f"{name}: {value}\r\n")
        block = "".join(lines)
        if block.count("\r\n") != len(lines) or not _HEAD.fullmatch(block):
            raise InvalidResponseHeader("a header that HTTP cannot carry")
        self._headers = block
        return self._write

    def send(self, result: Iterable[bytes], patience: float) -> None:
        """Send what the application returned. Raises OSError when the client is gone or silent."""
        if isinstance(result, FileAnswer) and result.number is not None and self._length is not None:
            self._buffer.put(self._begin())
            if self._length and not self._bare:
                self._buffer.put_file(result.number, result.file.tell(), self._length)
        elif isinstance(result, list | tuple) and len(result) <= 1:
            body = result[0] if result else b""
            self._write_whole(body)
        elif self._bare:
            self._buffer.put(self._begin())
        else:
            for piece in result:
                self._write(piece, patience)
            self._end()

    def _write_whole(self, body: bytes) -> None:
        if self._length is None and (not self._bare or body):
            self._length = len(body)
            if not self._status.startswith(("204", "304")):
                self._headers += f"Content-Length: {len(body)}\r\n"
        elif not self._bare and self._length != len(body):
            self.keeps = False
        start, rest = self._head()
        rest += b"" if self._bare else body[: self._length]
        self._buffer.put(start + self._dates.lines() + rest)

    def _begin(self) -> bytes:
        """Return the head; the framing cannot change from here on."""
        start, rest = self._head()
        return start + self._dates.lines() + rest

    def _head(self) -> tuple[bytes, bytes]:
        """Return the head without its date."""
        self.is_begun = True
        framing = ""
        if self._length is None and not self._bare:
            self._chunked = self._request.version >= (1, 1)
            framing = "Transfer-Encoding: chunked\r\n" if self._chunked else ""
            self.keeps = self.keeps and self._chunked
        version = self._request.version
        connection = "keep-alive" if self.keeps else "close"
        if self.is_switching:
            connection = "Upgrade"
        start = f"HTTP/{version[0]}.{version[1]} {self._status}\r\n"
        rest = f"Connection: {connection}\r\n{framing}{self._headers}\r\n"
        return start.encode("latin-1"), rest.encode("latin-1")

    def _write(self, piece: bytes, patience: float | None = None) -> None:
        data = b"" if self.is_begun else self._begin()
        if piece and not self._bare:
            data += b"%X\r\n%b\r\n" % (len(piece), piece) if self._chunked else piece
            if self._length is not None:
                self._length -= len(piece)
                if self._length < 0:
                    raise ValueError("the response is longer than its Content-Length")
        if patience is None:
            self._buffer.put(data)
        elif data:
            self._buffer.put_patiently(data, patience)

    def _end(self) -> None:
        data = b"" if self.is_begun else self._begin()
        if self._chunked:
            data += b"0\r\n\r\n"
        elif self._length:
            self.keeps = False
        if data:
            self._buffer.put(data)
