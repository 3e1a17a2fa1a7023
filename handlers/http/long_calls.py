"""Long calls: their number per process, and whether each may go on."""

from __future__ import annotations

import select
import socket
import threading
import time
from collections.abc import Callable, Hashable
from contextlib import suppress
from functools import lru_cache

from handlers.http.rights_watch import RightsWatch
from handlers.rules.hosts import network
from handlers.rules.shared_limit import WATCHING, WHOLE, LimitHolder, LimitSlot, SharedLimit
from vfs.errors import Unavailable, VfsError

TRUST_SECONDS = 60.0
"""How long a check counts while the database is as it was; less where the credential runs out."""


class TrustedCheck:
    """A check that is made again only after a commit, or when the time for which it counts is over.

    `version` is another one after each commit (None: not known). `check` raises VfsError when it fails, and
    returns for how many seconds at most its outcome holds by the clock (None: no end is known).
    """

    def __init__(self, version: Callable[[], Hashable | None], check: Callable[[], float | None]) -> None:
        self._version, self._check = version, check
        self._seen: Hashable | None = None
        self.until = 0.0

    def make(self) -> None:
        """Make the check, unless it counts still. Raises as it does."""
        # Nothing of a check that began before a commit counts after it.
        version, now = self._version(), time.monotonic()
        if version is not None and version == self._seen and now < self.until:
            return
        left = self._check()
        self._seen = version
        self.until = now + (TRUST_SECONDS if left is None else min(TRUST_SECONDS, left))


class OpenCall:
    """A call that is still being answered (vfs.call.Ongoing).

    `check` raises VfsError when it would be refused now, `wire` is the connection where the server tells it,
    `stopping` is set when the service stops. The check is made before each piece, by the `version` of the
    database. The `watch` looks at it as long as it has a place.
    """

    def __init__(
        self,
        check: Callable[[], float | None],
        wire: socket.socket | None,
        stopping: threading.Event,
        room: SharedLimit,
        holder: LimitHolder,
        version: Callable[[], Hashable | None] = lambda: None,
        watch: RightsWatch | None = None,
    ) -> None:
        self._watch, self._is_lost = watch, False
        self._trusted = TrustedCheck(version, check)
        self._check = check
        self._wire = wire
        self._stopping = stopping
        self._room = room
        self._holder = holder
        self._place: LimitSlot | None = None

    @property
    def trusted_until(self) -> float:
        """The time (monotonic) from which on the call is to be looked at, whatever was committed."""
        return self._trusted.until

    def begin(self, *, spare: bool = False) -> None:
        """Take a place, unless this call has one. Raises Unavailable, TooMany."""
        if self._place is None:
            self._place = self._room.enter(self._holder, WATCHING if spare else WHOLE)
            if self._watch is not None:
                self._watch.add(self)

    def end(self) -> None:
        """Give the place back, if one was taken."""
        if self._place is not None:
            if self._watch is not None:
                self._watch.remove(self)
            self._room.leave(self._place)
            self._place = None

    def is_allowed(self) -> bool:
        """Return whether the caller is there and may still have the answer; not while nobody can tell."""
        if self._is_lost or self._stopping.is_set() or _hung_up(self._wire):
            return False
        try:
            self._trusted.make()
        except VfsError:
            return False
        return True

    def check(self) -> None:
        """Raise VfsError as the call would be refused now."""
        self._check()

    def is_over(self) -> bool:
        """Return whether the service stops, or the right to the answer was lost."""
        return self._is_lost or self._stopping.is_set()

    def is_lost(self) -> bool:
        """Return whether the right to the answer was lost."""
        return self._is_lost

    def look_again(self) -> bool:
        """Look whether the caller may still have the answer; whether that right is lost."""
        try:
            self._trusted.make()
        except Unavailable:
            return False
        except VfsError:
            self._is_lost = True
        return self._is_lost


def _hung_up(wire: socket.socket | None) -> bool:
    """Return whether the other end of a connection is closed, without a byte sent."""
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
    """The holder of a request's places: its `user`, else where it certainly comes from (empty: unknown)."""
    return LimitHolder(user) if user else LimitHolder(network(source) if source else "", True)
