"""Long calls: their number per process, and whether each may continue."""

from __future__ import annotations

import select
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache

from handlers.http.rights_watch import RightsWatch
from handlers.rules.hosts import network
from handlers.rules.shared_limit import WATCHING, WHOLE, LimitHolder, LimitSlot, SharedLimit
from vfs.errors import Unavailable, VfsError


class OpenCall:
    """A call whose response is still being sent (vfs.call.Ongoing).

    `check` raises VfsError when the call would be refused now, `wire` is the connection if the server gives
    it, `stopping` is set when the service stops. The check runs before each piece, and the `watch` repeats it
    while the call has a slot.
    """

    def __init__(
        self,
        check: Callable[[], object],
        wire: socket.socket | None,
        stopping: threading.Event,
        room: SharedLimit,
        holder: LimitHolder,
        watch: RightsWatch | None = None,
    ) -> None:
        self._watch, self._is_lost = watch, False
        self._check = check
        self._wire = wire
        self._stopping = stopping
        self._room = room
        self._holder = holder
        self._place: LimitSlot | None = None

    def begin(self, *, spare: bool = False) -> None:
        """Take a slot, unless this call has one. Raises Unavailable, TooMany."""
        if self._place is None:
            self._place = self._room.enter(self._holder, WATCHING if spare else WHOLE)
            if self._watch is not None:
                self._watch.add(self)

    def end(self) -> None:
        """Release the slot, if there is one."""
        if self._place is not None:
            if self._watch is not None:
                self._watch.remove(self)
            self._room.leave(self._place)
            self._place = None

    def is_allowed(self) -> bool:
        """Return whether the caller is connected and still permitted; False if that cannot be checked."""
        if self._is_lost or self._stopping.is_set() or _hung_up(self._wire):
            return False
        try:
            self._check()
        except VfsError:
            return False
        return True

    def check(self) -> None:
        """Raise VfsError if the call would be refused now."""
        self._check()

    def is_over(self) -> bool:
        """Return whether the service stops or the permission was lost."""
        return self._is_lost or self._stopping.is_set()

    def is_lost(self) -> bool:
        """Return whether the permission was lost."""
        return self._is_lost

    def look_again(self) -> bool:
        """Repeat the check; return whether the permission was lost."""
        try:
            self._check()
        except Unavailable:
            return False
        except VfsError:
            self._is_lost = True
        return self._is_lost


def _hung_up(wire: socket.socket | None) -> bool:
    """Return whether the peer has closed a connection, without sending a byte."""
    if wire is None:
        return False
    ends = select.POLLRDHUP | select.POLLHUP | select.POLLERR
    poll = select.poll()
    with suppress(OSError, ValueError):
        poll.register(wire, ends)
        return any(event & ends for _, event in poll.poll(0))
    return True


@lru_cache(256)
def holder_of(user: str | None, source: str) -> LimitHolder:
    """Return the holder of a request's slots: its `user`, else its certain address ("": unknown)."""
    return LimitHolder(user) if user else LimitHolder(network(source) if source else "", True)
