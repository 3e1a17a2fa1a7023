"""Long calls: their number per process, and whether each may continue."""

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
"""How long a check is valid if nothing is committed; less if the credential expires earlier."""


class TrustedCheck:
    """A check that is repeated only after a commit, or when its result has expired.

    `version` changes with each commit (None: unknown). `check` raises VfsError when it fails, and returns the
    seconds for which its result is valid (None: no limit).
    """

    def __init__(self, version: Callable[[], Hashable | None], check: Callable[[], float | None]) -> None:
        self._version, self._check = version, check
        self._seen: Hashable | None = None
        self.until = 0.0

    def make(self) -> None:
        """Run the check, unless its last result is still valid. Raises as it does."""
        # A check that began before a commit says nothing about the time after it.
        version, now = self._version(), time.monotonic()
        if version is not None and version == self._seen and now < self.until:
            return
        left = self._check()
        self._seen = version
        self.until = now + (TRUST_SECONDS if left is None else min(TRUST_SECONDS, left))


class OpenCall:
    """A call whose response is still being sent (vfs.call.Ongoing).

    `check` raises VfsError when the call would be refused now, `wire` is the connection if the server gives
    it, `stopping` is set when the service stops. The check runs before each piece if the database's `version`
    changed. The `watch` repeats it while the call has a slot.
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
        """The time (monotonic) at which the check has to be repeated even without a commit."""
        return self._trusted.until

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
            self._trusted.make()
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
            self._trusted.make()
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
