"""Dispatch: threads answer complete requests, within the limits of their senders."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from handlers.rules.shared_limit import LimitHolder, LimitSlot, SharedLimit
from handlers.server.answering import RequestAnswering
from handlers.server.application import Claimant, ServedApplication
from handlers.server.connections import ClientConnection
from handlers.server.fair_pool import FairPool
from handlers.server.framing.bodies import WireReader
from handlers.server.framing.wire_request import WireRequest
from handlers.server.limits import ClientLimits
from handlers.server.refusals import REQUESTS, SHARE, Refusals
from handlers.server.response_writer import DateHeader, constant_answer
from handlers.server.send_buffer import SendBuffer
from handlers.server.wsgi_environ import request_environ
from vfs.errors import TooMany, Unavailable

GO_ON = b"HTTP/1.1 100 Continue\r\n\r\n"
# Request headers that change a response, and the one value that does not.
HEEDED = frozenset({"ACCEPT", "ORIGIN", "X-REQUEST-ID"})
ANY = ("ACCEPT", "*/*")
UPLOAD = "upload"
WHOLE = "whole"
OF_ACCOUNT = "too many of your requests wait here at once: try again when some are answered"


@dataclass(frozen=True, slots=True)
class LoopCalls:
    """Functions of the loop.

    `later` calls a function on the loop, `finish` continues a connection whose response is in its send
    buffer, `turn_away` sends a last response.
    """

    later: Callable[..., object]
    finish: Callable[[ClientConnection, bool], object]
    turn_away: Callable[[ClientConnection, bytes], object]


class Dispatch:
    """Passes connections with complete requests to threads, which return them by `calls.later`.

    `is_last`: connections are closed after their responses, because the worker stops.
    """

    def __init__(
        self,
        application: ServedApplication,
        pool: FairPool,
        limits: ClientLimits,
        calls: LoopCalls,
        refusals: Refusals,
    ) -> None:
        self._application = application
        self._pool = pool
        self._limits = limits
        self._calls, self._refusals = calls, refusals
        self._room = SharedLimit(limits.requests, **{UPLOAD: limits.uploads})
        self._dates = DateHeader()
        self.is_last = False

    def answer(self, connection: ClientConnection) -> None:
        """Have the request of a connection answered."""
        request = connection.assembly.request
        assert request is not None
        keeps = not (self.is_last or request.closes)
        constant = self._application.constants.get(request.target)
        if constant is not None and _asks_plainly(request):
            with contextlib.suppress(OSError):
                connection.send_buffer.put(constant_answer(constant, self._dates, keeps=keeps))
            self._calls.finish(connection, keeps)
            return
        environ = request_environ(request, self._body(connection, request), connection.environ)
        claimant = self._application.claimant(environ)
        stay = self._admit(connection, claimant)
        if stay is not None:
            answering = RequestAnswering(
                self._application, connection, environ, self._dates, self._refusals, keeps=keeps
            )
            self._pool.submit(claimant, partial(self._answer, connection, answering, stay))

    def _body(self, connection: ClientConnection, request: WireRequest) -> Any:
        """Return the body of a request, from its beginning."""
        if not connection.is_long:
            return connection.assembly.body()
        limits = self._limits
        begin = partial(_tell_to_go_on, connection.send_buffer) if request.awaits_go_on else None
        reader = WireReader(connection.wire, limits.silence, limits.slowest_body, begin)
        return connection.assembly.long_body(reader)

    def _admit(self, connection: ClientConnection, claimant: Claimant) -> LimitSlot | None:
        """Count a request and return its slot, or refuse it and return None."""
        try:
            if self._pool.waiting_of(claimant) >= self._limits.requests_account:
                raise TooMany(OF_ACCOUNT)
            holder = LimitHolder(claimant.address, not claimant.credential)
            return self._room.enter(holder, UPLOAD if connection.is_long else WHOLE)
        except (TooMany, Unavailable) as error:
            word = SHARE if isinstance(error, TooMany) else REQUESTS
            self._calls.turn_away(connection, self._refusals.answer(word, error.detail))
            return None

    def _answer(self, connection: ClientConnection, answering: RequestAnswering, stay: LimitSlot) -> None:
        """Answer in a thread, then return the connection to the loop."""
        keeps = False
        try:
            keeps = answering.answer(self._limits.silence)
        finally:
            self._room.leave(stay)
            self._calls.later(self._calls.finish, connection, keeps)


def _asks_plainly(request: WireRequest) -> bool:
    """Return whether a constant response suits a request, as none of its headers changes it."""
    if request.method != "GET" or request.version < (1, 1):
        return False
    return all(name not in HEEDED or (name, value) == ANY for name, value in request.headers)


def _tell_to_go_on(send_buffer: SendBuffer) -> None:
    """Send 100 Continue to a client that waits to send its body (RFC 9110 section 10.1.1)."""
    with contextlib.suppress(OSError):
        send_buffer.put(GO_ON)
