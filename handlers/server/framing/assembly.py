"""RequestAssembly: bytes of a connection become a request that is whole, or too long to wait for."""

from __future__ import annotations

import io
from enum import Enum
from typing import Any

from gunicorn.http.errors import LimitRequestHeaders

from handlers.server.framing.bodies import LongBody, WireReader
from handlers.server.framing.wire_request import END, UnsoundRequest, WireRequest, read_request
from handlers.server.limits import ClientLimits


class Arrival(Enum):
    """The part of a request that is there.

    `LONG` is one whose body is not waited for: it is too long to be kept in memory, its client waits to be
    told to send it, or it is not read at all.
    """

    HEAD = "part of the head"
    BODY = "part of the body"
    WHOLE = "whole"
    LONG = "long"


class WholeBody(io.BytesIO):
    """The content of a body that has arrived whole: reading it waits for nothing."""

    is_here = True


class RequestAssembly:
    """Gathers the next request of a connection from pieces that are fed as they come.

    Nothing is known of a request before its head is whole, and it is not handed on before its body is, unless
    it is LONG.
    """

    __slots__ = ("_came", "_cfg", "_content", "_limits", "_number", "_peer", "_read", "_searched", "request")

    def __init__(self, cfg: Any, limits: ClientLimits, peer: Any) -> None:
        self._cfg, self._limits, self._peer = cfg, limits, peer
        self._came = bytearray()
        """What came and was not taken yet: of the head, of the body, or of what follows them."""
        self._content = bytearray()
        self._searched = self._read = self._number = 0
        self.request: WireRequest | None = None

    @property
    def size(self) -> int:
        """The bytes that are kept."""
        return len(self._came) + len(self._content)

    @property
    def is_empty(self) -> bool:
        """Whether nothing of the next request has come."""
        return self.request is None and not self._came

    @property
    def is_body_over(self) -> bool:
        """Whether all of the request was read, so that what follows is the next one."""
        return self.request is None or self.request.framing.is_complete

    def feed(self, data: bytes) -> Arrival:
        """Take in what came. Raises gunicorn's ParseException for what is no request."""
        self._came += data
        if self.request is None:
            if not self._has_head():
                return Arrival.HEAD
            self.request = self._take_head()
        else:
            self._read += len(data)
        return self._take_body(self.request)

    def end(self) -> None:
        """Take in that nothing more comes. Raises ParseException where the body was cut short."""
        if self.request is not None:
            self.request.framing.refuse_end()

    def begin_next(self) -> Arrival:
        """Forget the request that was answered; what came after it belongs to the next."""
        came = self._came
        self.forget()
        self._came = came
        return self.feed(b"") if came else Arrival.HEAD

    def take_rest(self) -> bytes:
        """Return bytes that came behind the request; it is kept no longer."""
        came = bytes(self._came)
        self.forget()
        return came

    def forget(self) -> None:
        """Let go of all that came."""
        self.request = None
        self._came, self._content = bytearray(), bytearray()
        self._searched = self._read = 0

    def body(self) -> WholeBody:
        """Return the body of a request that is whole."""
        return WholeBody(self._content)

    def long_body(self, wire: WireReader) -> io.BufferedReader:
        """Return the body of a LONG request; a thread reads its rest from the connection."""
        assert self.request is not None
        content, self._content = bytes(self._content), bytearray()
        return io.BufferedReader(LongBody(content, self.request.framing, self._came, wire))

    def _has_head(self) -> bool:
        """Return whether the head has its end. Raises ParseException where it never will have one."""
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
        # Many small chunks are a long body too, by what was read of it.
        is_long = max(framing.announced, self._read) > self._limits.small_body
        return Arrival.LONG if is_long or request.awaits_go_on or request.is_unread else Arrival.BODY
