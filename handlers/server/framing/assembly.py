"""RequestAssembly: joins received bytes into requests; the bodies of long ones are not waited for."""

from __future__ import annotations

import io
from enum import Enum
from typing import Any

from gunicorn.http.errors import LimitRequestHeaders

from handlers.server.framing.bodies import LongBody, WireReader
from handlers.server.framing.wire_request import END, UnsoundRequest, WireRequest, read_request
from handlers.server.limits import ClientLimits


class Arrival(Enum):
    """The parts of a request that have arrived.

    The body of a `LONG` request is not waited for: it is too long for memory, its client waits for 100
    Continue, or it is not read at all.
    """

    HEAD = "part of the head"
    BODY = "part of the body"
    WHOLE = "whole"
    LONG = "long"


class WholeBody(io.BytesIO):
    """The content of a body that has arrived completely; reading it never blocks."""

    is_here = True


class RequestAssembly:
    """Assembles the next request of a connection from the received pieces.

    A request is passed on once its head is complete, and its body too, unless it is LONG.
    """

    __slots__ = ("_came", "_cfg", "_content", "_limits", "_number", "_peer", "_read", "_searched", "request")

    def __init__(self, cfg: Any, limits: ClientLimits, peer: Any) -> None:
        self._cfg, self._limits, self._peer = cfg, limits, peer
        self._came = bytearray()
        """Received bytes that are not processed yet: part of a head or body, or what follows."""
        self._content = bytearray()
        self._searched = self._read = self._number = 0
        self.request: WireRequest | None = None

    @property
    def size(self) -> int:
        """The number of stored bytes."""
        return len(self._came) + len(self._content)

    @property
    def is_empty(self) -> bool:
        """Whether no part of the next request has arrived."""
        return self.request is None and not self._came

    @property
    def is_body_over(self) -> bool:
        """Whether the whole request was read, so that the next one follows."""
        return self.request is None or self.request.framing.is_complete

    def feed(self, data: bytes) -> Arrival:
        """Process received bytes. Raises gunicorn's ParseException if they are not a request."""
        self._came += data
        if self.request is None:
            if not self._has_head():
                return Arrival.HEAD
            self.request = self._take_head()
        else:
            self._read += len(data)
        return self._take_body(self.request)

    def end(self) -> None:
        """Process the end of input. Raises ParseException if the body is incomplete."""
        if self.request is not None:
            self.request.framing.refuse_end()

    def begin_next(self) -> Arrival:
        """Drop the answered request; bytes after it belong to the next one."""
        came = self._came
        self.forget()
        self._came = came
        return self.feed(b"") if came else Arrival.HEAD

    def take_rest(self) -> bytes:
        """Remove and return the bytes after the request."""
        came = bytes(self._came)
        self.forget()
        return came

    def forget(self) -> None:
        """Drop all received bytes."""
        self.request = None
        self._came, self._content = bytearray(), bytearray()
        self._searched = self._read = 0

    def body(self) -> WholeBody:
        """Return the body of a complete request."""
        return WholeBody(self._content)

    def long_body(self, wire: WireReader) -> io.BufferedReader:
        """Return the body of a LONG request; a thread reads its rest from the connection."""
        assert self.request is not None
        content, self._content = bytes(self._content), bytearray()
        return io.BufferedReader(LongBody(content, self.request.framing, self._came, wire))

    def _has_head(self) -> bool:
        """Return whether the head is complete. Raises ParseException if it cannot become valid."""
        came, since = self._came, self._searched
        if came.find(END, max(since - len(END) + 1, 0)) >= 0:
            return True
        if len(came) > self._limits.longest_head:
            raise LimitRequestHeaders("the head is too long")
        first = max(since - 1, 0)
        self._searched = len(came)
        if came.count(b"\n", since) != came.count(b"\r\n", first) or came.startswith(b"\n"):
            raise UnsoundRequest("a line of the head ends without CR")
        return False

    def _take_head(self) -> WireRequest:
        end = self._came.find(END) + len(END)
        if end > self._limits.longest_head:
            raise LimitRequestHeaders("the head is too long")
        head = bytes(memoryview(self._came)[:end])
        del self._came[:end]
        self._number += 1
        self._read = len(self._came)
        return read_request(self._cfg, head, self._peer, self._number)

    def _take_body(self, request: WireRequest) -> Arrival:
        framing = request.framing
        if not framing.is_complete:
            self._content += framing.take(self._came)
        if framing.is_complete:
            return Arrival.WHOLE
        # Many small chunks are a long body too, by the number of received bytes.
        is_long = max(framing.announced, self._read) > self._limits.small_body
        return Arrival.LONG if is_long or request.awaits_go_on or request.is_unread else Arrival.BODY
