"""Long calls: their places in the room of a process, and the liveness check of one that is being answered."""

from __future__ import annotations

import select
import socket
import threading
import time
from collections.abc import Callable, Hashable
from contextlib import suppress
from functools import lru_cache

from handlers.identity.passwords import network
from handlers.rules.shared_room import WATCHING, WHOLE, RoomHolder, RoomPlace, SharedRoom
from vfs.errors import VfsError

TRUST_SECONDS = 60.0
"""How long a call counts as allowed while the database is as it was: credentials run out by the clock."""


class OpenCall:
    """A call that is still being answered (vfs.call.Ongoing).

    `ask` raises VfsError when it would be refused now, `wire` is the connection where the server tells it,
    `stopping` is set when the service stops. `version` is another one after each commit (None: not known);
    while it is the same, `ask` is taken to answer as before for `trust` seconds.
    """

    def __init__(
        self,
        ask: Callable[[], object],
        wire: socket.socket | None,
        stopping: threading.Event,
        room: SharedRoom,
        holder: RoomHolder,
        version: Callable[[], Hashable | None] = lambda: None,
        trust: float = TRUST_SECONDS,
    ) -> None:
        self._ask = ask
        self._wire = wire
        self._stopping = stopping
        self._room = room
        self._holder = holder
        self._read_version, self._trust = version, trust
        self._allowed: tuple[Hashable | None, float] = (None, 0.0)
        self._place: RoomPlace | None = None

    def begin(self, *, spare: bool = False) -> None:
        """Take a place, unless this call has one. Raises Unavailable, TooMany."""
        if self._place is None:
            self._place = self._room.enter(self._holder, WATCHING if spare else WHOLE)

    def end(self) -> None:
        """Give the place back, if one was taken."""
        if self._place is not None:
            self._room.leave(self._place)
            self._place = None

    def is_allowed(self) -> bool:
        """Whether the caller is there and may still have the answer; not while nobody can tell."""
        if self._stopping.is_set() or _hung_up(self._wire):
            return False
        version, now = self._read_version(), time.monotonic()
        known, until = self._allowed
        if version is not None and version == known and now < until:
            return True
        try:
            self.check()
        except VfsError:
            return False
        self._allowed = version, now + self._trust
        return True

    def check(self) -> None:
        """Raise VfsError as the call would be refused now."""
        self._ask()

    def is_over(self) -> bool:
        """Whether the service stops."""
        return self._stopping.is_set()


def _hung_up(wire: socket.socket | None) -> bool:
    """Whether the other end of a connection is closed, without a byte sent."""
    if wire is None:
        return False
    ends = select.POLLRDHUP | select.POLLHUP | select.POLLERR
    poll = select.poll()
    with suppress(OSError, ValueError):
        poll.register(wire, ends)
        return any(event & ends for _, event in poll.poll(0))
    return True


@lru_cache(256)
def holder_of(user: str | None, source: str) -> RoomHolder:
    """The holder of a request's places: its `user`, else where it certainly comes from (empty: unknown)."""
    return RoomHolder(user) if user else RoomHolder(network(source) if source else "", True)
