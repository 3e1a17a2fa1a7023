"""Dispatch: requests that are whole are answered on the loop when they are quick, else in threads."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

from handlers.http.door.answers import DateHeader
from handlers.http.door.connections import DoorConnection
from handlers.http.door.environs import Environ, request_environ
from handlers.http.door.fair_threads import Claimant, FairThreads
from handlers.http.door.framing.long_body import WireReader
from handlers.http.door.limits import DoorLimits
from handlers.http.door.refusals import busy_answer
from handlers.http.door.relay import LoopRelay, LoopTaken
from handlers.http.door.service import RequestAnswering, Wsgi
from handlers.http.door.write_groups import GroupedWrite, WriteGroups
from handlers.rules.shared_room import RoomHolder, RoomPlace, SharedRoom
from vfs.errors import TooMany, Unavailable

UPLOAD = "upload"
WHOLE = "whole"
# Whoever reads waits for the loop while a body is looked at and stored there.
SHORT_BODY = 16 << 10
OF_ACCOUNT = "as many of your requests are open as may be at once: try again when some are answered"


class Manners(Protocol):
    """The application's word on a request that it has not seen yet."""

    def is_instant(self, environ: Environ) -> bool:
        """Whether its answer waits for nothing at all."""
        ...

    def is_quick(self, environ: Environ) -> bool:
        """Whether its answer waits for nothing but a short look into the database."""
        ...

    def is_groupable(self, environ: Environ) -> bool:
        """Whether it may share a transaction with others."""
        ...

    def claimant(self, environ: Environ) -> Claimant:
        """The address and the credential that it is counted for."""
        ...


@dataclass(frozen=True, slots=True)
class LoopCalls:
    """The calls by which the loop goes on.

    `later` makes one on the loop, `finish` goes on with a connection once an answer is in its outbox,
    `turn_away` sends the last answer on one.
    """

    later: Callable[..., object]
    finish: Callable[[DoorConnection, bool], object]
    turn_away: Callable[[DoorConnection, bytes], object]


class Dispatch:
    """Has requests answered, by the loop's thread where that waits for nothing.

    `is_last` says whether connections end with their answers, as the worker stops.
    """

    def __init__(
        self,
        application: Wsgi,
        manners: Manners,
        threads: FairThreads,
        limits: DoorLimits,
        relay: LoopRelay,
        calls: LoopCalls,
        groups: WriteGroups | None = None,
    ) -> None:
        self._groups = groups
        self._application, self._manners, self._threads = application, manners, threads
        self._limits, self._relay, self._calls = limits, relay, calls
        self._room = SharedRoom(limits.requests, **{UPLOAD: limits.uploads})
        self._of_account: Counter[Claimant] = Counter()
        self._dates = DateHeader()
        self.is_last = False

    def answer(self, connection: DoorConnection) -> None:
        """Have the request of a connection answered."""
        assembly = connection.assembly
        assert assembly.request is not None
        environ = request_environ(assembly.request, self._body(connection), connection.environ)
        keeps = not (self.is_last or assembly.request.closes)
        if self._is_for_the_loop(connection, environ):
            self._answer_here(connection, environ, self._answering(connection, environ, keeps=keeps))
        elif self._groups is not None and self._is_for_a_group(connection, environ):
            self._group(self._groups, connection, environ, keeps=keeps)
        else:
            answering = self._answering(connection, environ, keeps=keeps)
            self._enqueue(connection, environ, answering, answering.answer)

    def _body(self, connection: DoorConnection) -> Any:
        """The body of a request, from its beginning."""
        if not connection.is_long:
            return connection.assembly.body()
        limits = self._limits
        return connection.assembly.long_body(WireReader(connection.wire, limits.silence, limits.slowest_body))

    def _begin(self) -> int:
        """Note that an answer on the loop begins (LoopRelay.begin)."""
        if self._groups is not None:
            self._groups.note_reader()
        return self._relay.begin()

    def _answering(self, connection: DoorConnection, environ: Environ, *, keeps: bool) -> RequestAnswering:
        return RequestAnswering(self._application, connection, environ, self._dates, keeps=keeps)

    def _is_for_the_loop(self, connection: DoorConnection, environ: Environ) -> bool:
        if connection.is_long or self._relay.is_spent:
            return False
        if self._manners.is_instant(environ):
            return True
        return not self._relay.is_wary and self._manners.is_quick(environ)

    def _answer_here(self, connection: DoorConnection, environ: Environ, answering: RequestAnswering) -> None:
        """Answer on the loop. Raises LoopTaken when that took so long that another thread has it by now."""
        leg = self._begin()
        answering.begin()
        if not self._relay.end(leg):
            self._calls.later(self._calls.finish, connection, answering.finish(self._limits.silence))
            raise LoopTaken
        if answering.is_at_hand:
            self._calls.finish(connection, answering.finish(None))
        else:
            self._enqueue(connection, environ, answering, answering.finish)

    def _enqueue(
        self,
        connection: DoorConnection,
        environ: Environ,
        answering: RequestAnswering,
        job: Callable[[float], bool],
    ) -> None:
        claimant = self._manners.claimant(environ)
        done = self._admit(connection, claimant)
        if done is None:
            answering.abandon()
        else:
            self._threads.submit(claimant, partial(self._do, job, done))

    def _is_for_a_group(self, connection: DoorConnection, environ: Environ) -> bool:
        """Whether a request is a write of a short body."""
        assert self._groups is not None
        if connection.is_long or connection.assembly.size > SHORT_BODY:
            return False
        return self._groups.is_open and self._manners.is_groupable(environ)

    def _group(
        self, groups: WriteGroups, connection: DoorConnection, environ: Environ, *, keeps: bool
    ) -> None:
        """Have a short write answered with others, and anew in a thread where that comes to nothing."""
        claimant = self._manners.claimant(environ)
        done = self._admit(connection, claimant)
        if done is None:
            return

        def answer_anew() -> RequestAnswering:
            fresh = {**environ, "wsgi.input": self._body(connection)}
            return self._answering(connection, fresh, keeps=keeps)

        def submit(job: Callable[[float], bool]) -> None:
            self._threads.submit(claimant, partial(self._do, job, done))

        def finish() -> None:
            if grouped.is_at_hand:
                done(grouped.finish(None))
            else:
                submit(grouped.finish)

        grouped = answer_anew()
        groups.submit(claimant, GroupedWrite(grouped.begin, finish, lambda: submit(answer_anew().answer)))

    def _admit(self, connection: DoorConnection, claimant: Claimant) -> Callable[[bool], None] | None:
        """Count a request in, or turn it away (None); what is returned counts it out once it is answered."""
        try:
            place = self._enter(claimant, UPLOAD if connection.is_long else WHOLE)
        except (TooMany, Unavailable) as error:
            answer = busy_answer(error.detail, by_caller=isinstance(error, TooMany))
            self._calls.turn_away(connection, answer)
            return None
        return partial(self._finish, connection, claimant, place)

    def _enter(self, claimant: Claimant, part: str) -> RoomPlace:
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

    def _finish(self, connection: DoorConnection, claimant: Claimant, place: RoomPlace, keeps: bool) -> None:
        self._room.leave(place)
        self._of_account[claimant] -= 1
        if not self._of_account[claimant]:
            del self._of_account[claimant]
        self._calls.finish(connection, keeps)
