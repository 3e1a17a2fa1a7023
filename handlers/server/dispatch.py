"""Dispatch: requests that are whole are answered on the loop when they are quick, else in threads."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from handlers.rules.shared_room import RoomHolder, RoomStay, SharedRoom
from handlers.server.answering import RequestAnswering
from handlers.server.application import Claimant, Environ, Pace, ServedApplication
from handlers.server.connections import ClientConnection
from handlers.server.fair_pool import FairPool
from handlers.server.framing.long_body import WireReader
from handlers.server.group_commit import GroupCommit, GroupedWrite
from handlers.server.leadership import Leadership, LeadershipLost
from handlers.server.limits import ClientLimits
from handlers.server.refusals import REQUESTS, SHARE, Refusals
from handlers.server.response_writer import DateHeader
from handlers.server.send_buffer import SendBuffer
from handlers.server.wsgi_environ import request_environ
from vfs.errors import TooMany, Unavailable

GO_ON = b"HTTP/1.1 100 Continue\r\n\r\n"
UPLOAD = "upload"
WHOLE = "whole"
# Whoever reads waits for the loop while a body is looked at and stored there.
SHORT_BODY = 16 << 10
OF_ACCOUNT = "too many of your requests are open at once: try again when some are answered"


@dataclass(frozen=True, slots=True)
class LoopCalls:
    """The calls by which the loop goes on.

    `later` makes one on the loop, `finish` goes on with a connection once an answer is in its send_buffer,
    `turn_away` sends the last answer on one.
    """

    later: Callable[..., object]
    finish: Callable[[ClientConnection, bool], object]
    turn_away: Callable[[ClientConnection, bytes], object]


class Dispatch:
    """Has requests answered, by the leader itself if that waits for nothing.

    Everything kept here is the leader's: threads of the pool come back by `calls.later`. `is_last`:
    connections end with their answers, because the worker stops.
    """

    def __init__(
        self,
        application: ServedApplication,
        pool: FairPool,
        limits: ClientLimits,
        leadership: Leadership,
        calls: LoopCalls,
        refusals: Refusals,
        groups: GroupCommit | None = None,
    ) -> None:
        self._application = application
        self._pool = pool
        self._limits = limits
        self._leadership = leadership
        self._calls, self._refusals = calls, refusals
        self._groups = groups
        self._room = SharedRoom(limits.requests, **{UPLOAD: limits.uploads})
        self._of_account: Counter[Claimant] = Counter()
        self._dates = DateHeader()
        self.is_last = False

    def answer(self, connection: ClientConnection) -> None:
        """Have the request of a connection answered."""
        assembly = connection.assembly
        assert assembly.request is not None
        environ = request_environ(assembly.request, self._body(connection), connection.environ)
        keeps = not (self.is_last or assembly.request.closes)
        pace = self._application.pace(environ)
        if self._is_for_the_loop(connection, pace):
            self._answer_here(connection, environ, self._answering(connection, environ, keeps=keeps))
        elif self._groups is not None and self._is_for_a_group(connection, pace):
            self._group(self._groups, connection, environ, keeps=keeps)
        else:
            answering = self._answering(connection, environ, keeps=keeps)
            self._enqueue(connection, environ, answering, answering.answer)

    def _body(self, connection: ClientConnection) -> Any:
        """The body of a request, from its beginning."""
        if not connection.is_long:
            return connection.assembly.body()
        limits, request = self._limits, connection.assembly.request
        assert request is not None
        begin = partial(_tell_to_go_on, connection.send_buffer) if request.awaits_go_on else None
        reader = WireReader(connection.wire, limits.silence, limits.slowest_body, begin)
        return connection.assembly.long_body(reader)

    def _begin(self) -> int:
        """Note that an answer on the loop begins (Leadership.begin_call)."""
        if self._groups is not None:
            self._groups.note_reader()
        return self._leadership.begin_call()

    def _answering(self, connection: ClientConnection, environ: Environ, *, keeps: bool) -> RequestAnswering:
        dates, refusals = self._dates, self._refusals
        return RequestAnswering(self._application, connection, environ, dates, refusals, keeps=keeps)

    def _is_for_the_loop(self, connection: ClientConnection, pace: Pace) -> bool:
        """Whether a request may be answered by the thread that leads."""
        if connection.is_long or self._leadership.is_spent:
            return False
        return pace is Pace.INSTANT or (pace is Pace.QUICK and not self._leadership.is_wary)

    def _answer_here(
        self, connection: ClientConnection, environ: Environ, answering: RequestAnswering
    ) -> None:
        """Answer on the loop. Raises LeadershipLost when that took so long that another leads by now."""
        term = self._begin()
        is_answered = answering.attempt()
        rest = answering.finish if is_answered else answering.answer
        if not self._leadership.end_call(term):
            self._calls.later(self._calls.finish, connection, rest(self._limits.silence))
            raise LeadershipLost
        if is_answered and answering.is_at_hand:
            self._calls.finish(connection, answering.finish(None))
        else:
            self._enqueue(connection, environ, answering, rest)

    def _enqueue(
        self,
        connection: ClientConnection,
        environ: Environ,
        answering: RequestAnswering,
        job: Callable[[float], bool],
    ) -> None:
        claimant = self._application.claimant(environ)
        done = self._admit(connection, claimant)
        if done is None:
            answering.abandon()
        else:
            self._pool.submit(claimant, partial(self._do, job, done))

    def _is_for_a_group(self, connection: ClientConnection, pace: Pace) -> bool:
        """Whether a request is a write of a short body."""
        assert self._groups is not None
        if connection.is_long or connection.assembly.size > SHORT_BODY:
            return False
        return self._groups.is_open and pace is Pace.GROUPABLE

    def _group(
        self, groups: GroupCommit, connection: ClientConnection, environ: Environ, *, keeps: bool
    ) -> None:
        """Have a short write answered with others, and anew in a thread where that comes to nothing."""
        claimant = self._application.claimant(environ)
        done = self._admit(connection, claimant)
        if done is None:
            return

        def answer_anew() -> RequestAnswering:
            fresh = {**environ, "wsgi.input": self._body(connection)}
            return self._answering(connection, fresh, keeps=keeps)

        def submit(job: Callable[[float], bool]) -> None:
            self._pool.submit(claimant, partial(self._do, job, done))

        def finish() -> None:
            if grouped.is_at_hand:
                done(grouped.finish(None))
            else:
                submit(grouped.finish)

        grouped = answer_anew()
        groups.submit(claimant, GroupedWrite(grouped.begin, finish, lambda: submit(answer_anew().answer)))

    def _admit(self, connection: ClientConnection, claimant: Claimant) -> Callable[[bool], None] | None:
        """Count a request in, or turn it away (None); what is returned counts it out once it is answered."""
        try:
            place = self._enter(claimant, UPLOAD if connection.is_long else WHOLE)
        except (TooMany, Unavailable) as error:
            word = SHARE if isinstance(error, TooMany) else REQUESTS
            self._calls.turn_away(connection, self._refusals.answer(word, error.detail))
            return None
        return partial(self._finish, connection, claimant, place)

    def _enter(self, claimant: Claimant, part: str) -> RoomStay:
        """Count a request in. Raises TooMany or Unavailable."""
        if self._of_account[claimant] >= self._limits.requests_account:
            raise TooMany(OF_ACCOUNT)
        place = self._room.enter(RoomHolder(claimant.address, not claimant.credential), part)
        self._of_account[claimant] += 1
        return place

    def _do(self, job: Callable[[float], bool], done: Callable[[bool], None]) -> None:
        """In a thread: answer, and let the loop go on."""
        keeps = False
        try:
            keeps = job(self._limits.silence)
        finally:
            self._calls.later(done, keeps)

    def _finish(self, connection: ClientConnection, claimant: Claimant, place: RoomStay, keeps: bool) -> None:
        self._room.leave(place)
        self._of_account[claimant] -= 1
        if not self._of_account[claimant]:
            del self._of_account[claimant]
        self._calls.finish(connection, keeps)


def _tell_to_go_on(send_buffer: SendBuffer) -> None:
    """Tell a client that its body is wanted (RFC 9110 section 10.1.1)."""
    with contextlib.suppress(OSError):
        send_buffer.put(GO_ON)
