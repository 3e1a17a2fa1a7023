"""RequestAssembly: bytes of a connection become a request that is whole, or too long to wait for."""

from __future__ import annotations

from enum import Enum
from typing import Any

from gunicorn.http.body import ChunkedReader
from gunicorn.http.errors import LimitRequestHeaders, NoMoreData

from handlers.http.door.framing.chunk_scan import ChunkScan
from handlers.http.door.framing.strict_request import StrictRequest
from handlers.http.door.framing.unreader import WireUnreader
from handlers.http.door.limits import DoorLimits


class Arrival(Enum):
    """The part of a request that is there: `LONG` is one whose body is too long to be kept in memory."""

    HEAD = "part of the head"
    BODY = "part of the body"
    WHOLE = "whole"
    LONG = "long"


class RequestAssembly:
    """Gathers the next request of a connection from pieces that are fed as they come.

    gunicorn parses and decides on the framing; this only knows when there is enough to ask it.
    """

    __slots__ = (
        *("_bytes", "_cfg", "_limits", "_number", "_peer", "_scan", "_searched"),
        *("request", "unreader"),
    )

    def __init__(self, cfg: Any, limits: DoorLimits, peer: Any) -> None:
        self._cfg, self._limits, self._peer = cfg, limits, peer
        self._bytes = bytearray()
        self._searched = 0
        self._number = 0
        self._scan: ChunkScan | None = None
        self.request: Any = None
        self.unreader = WireUnreader()

    @property
    def size(self) -> int:
        """The bytes that are kept."""
        return len(self._bytes) + self.unreader.buf.getbuffer().nbytes

    @property
    def is_empty(self) -> bool:
        """Whether nothing of the next request has come."""
        return self.request is None and not self._bytes

    def feed(self, data: bytes) -> Arrival:
        """Take in what came. Raises gunicorn's ParseException for what is no request."""
        if self.request is None:
            self._bytes += data
            return self._parse() if self._may_be_a_head() else Arrival.HEAD
        self.unreader.append(data)
        if self._scan is not None:
            self._bytes += data
        return self._body_arrival()

    def end(self) -> Arrival:
        """Take in that nothing more comes: a request whose body was cut short is handed on as it is."""
        if self.request is not None:
            self.request.force_close()
            return Arrival.WHOLE
        return self._parse() if self._bytes else Arrival.HEAD

    def begin_next(self) -> Arrival:
        """Forget the request that was answered; what came after it belongs to the next."""
        rest = self.unreader.take_buffered()
        self.forget()
        return self.feed(rest) if rest else Arrival.HEAD

    def forget(self) -> None:
        """Let go of all that came."""
        self.request = self._scan = None
        self.unreader, self._bytes, self._searched = WireUnreader(), bytearray(), 0

    def _may_be_a_head(self) -> bool:
        """Whether the head has its end, or never will have one."""
        kept, since = self._bytes, self._searched
        if kept.find(b"\r\n\r\n", max(since - 3, 0)) >= 0 or len(kept) > self._limits.longest_head:
            return True
        first = max(since - 1, 0)
        self._searched = len(kept)
        return kept.count(b"\n", since) != kept.count(b"\r\n", first) or kept.startswith(b"\n")

    def _parse(self) -> Arrival:
        self._number += 1
        self.unreader = WireUnreader(bytes(self._bytes))
        too_long = len(self._bytes) > self._limits.longest_head
        try:
            request = StrictRequest(self._cfg, self.unreader, self._peer, self._number)
        except (NoMoreData, StopIteration):
            if too_long:
                raise LimitRequestHeaders("the head is too long") from None
            return Arrival.HEAD
        self.request = request
        self._bytes = bytearray()
        if isinstance(request.body.reader, ChunkedReader):
            self._scan = ChunkScan()
            self._bytes += self.unreader.buf.getvalue()
        return self._body_arrival()

    def _body_arrival(self) -> Arrival:
        if self._scan is not None:
            if self._scan.is_complete(self._bytes):
                return Arrival.WHOLE
            announced = max(self._scan.size, len(self._bytes))
        else:
            announced = self.request.body.reader.length
            if self.unreader.buf.getbuffer().nbytes >= announced:
                return Arrival.WHOLE
        return Arrival.LONG if announced > self._limits.small_body else Arrival.BODY
