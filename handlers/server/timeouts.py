"""TimeoutSweep: closes connections whose clients are too slow, a few at a time."""

from __future__ import annotations

import time
from functools import partial

from handlers.server.connection_handler import ConnectionHandler
from handlers.server.connections import ClientConnection, Stage
from handlers.server.event_loop import make_safely
from handlers.server.limits import ClientLimits
from handlers.server.refusals import SLOW, Refusals


class TimeoutSweep:
    """Checks every connection periodically, on the loop.

    It works in slices of `limits.look` seconds, between which requests are answered: thousands of connections
    take milliseconds, and longer if they are closed.
    """

    def __init__(self, handler: ConnectionHandler, limits: ClientLimits, refusals: Refusals) -> None:
        self._handler = handler
        self._limits, self._refusals = limits, refusals
        self._began = 0.0
        self._left: list[ClientConnection] = []

    @property
    def is_under_way(self) -> bool:
        """Whether some connections are not checked yet."""
        return bool(self._left)

    def go_on(self, pause: float) -> None:
        """Check some more connections; start again `pause` seconds after the last start."""
        now = time.monotonic()
        if not self._left:
            if now - self._began < pause:
                return
            self._began = now
            self._left = list(self._handler.table)
        until = now + self._limits.look
        while self._left:
            connection = self._left.pop()
            if connection.wire.fileno() >= 0:
                make_safely(partial(self._close_if_overdue, connection, now))
            if time.monotonic() >= until:
                return

    def _close_if_overdue(self, connection: ClientConnection, now: float) -> None:
        if connection.stage in (Stage.READING, Stage.DRAINING):
            if connection.deadline < now:
                self._end_patience(connection)
        elif (
            not connection.send_buffer.is_empty and now - connection.send_buffer.moved > self._limits.silence
        ):
            self._refusals.note_closed(SLOW)
            self._handler.drop(connection)
        elif connection.switched is not None and connection.stage is Stage.SWITCHED:
            connection.switched.tick(now)

    def _end_patience(self, connection: ClientConnection) -> None:
        """Close a connection; an incomplete body is refused as such."""
        if connection.stage is Stage.READING and connection.assembly.request is not None:
            self._handler.end(connection)
        else:
            if connection.stage is Stage.READING and not connection.is_idle:
                self._refusals.note_closed(SLOW)
            self._handler.drop(connection)
