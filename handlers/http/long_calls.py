"""Long calls: their places in the room of a process, and whether one that goes on may still do so."""

from __future__ import annotations

import hashlib
import os
import select
import socket
import threading
import time
from collections.abc import Callable, Hashable, Mapping
from contextlib import suppress
from functools import lru_cache

from handlers.http.rights_watch import RightsWatch
from handlers.rules.hosts import network
from handlers.rules.shared_room import WATCHING, WHOLE, RoomHolder, RoomStay, SharedRoom
from vfs.errors import Unavailable, VfsError

TRUST_SECONDS = 60.0
"""How long a call counts as allowed while the database is as it was; less where its credential runs out."""

MOST_CHECKS = 1024
"""Checks that are remembered, under digests of what was asked: no credential is kept for it."""


class SharedChecks:
    """Checks whether calls may go on, of which equal ones share theirs until the next commit.

    `version` is another one after each commit (None: not known); a check counts for `trust` seconds.
    """

    def __init__(self, version: Callable[[], Hashable | None], trust: float = TRUST_SECONDS) -> None:
        self._read_version, self._trust = version, trust
        self._seal, self._lock = os.urandom(32), threading.Lock()
        self._version: Hashable | None = None
        self._until: dict[bytes, float] = {}

    def ask(self, environ: Mapping[str, object], check: Callable[[], float | None]) -> float:
        """Check a call by its request, unless the same was asked since the last commit. Raises as `check`.

        `check` tells for how many seconds at most its outcome holds by the clock (None: no end is known).
        What is returned is the time (monotonic) until which this one does.
        """
        # Nothing of a check that began before a commit counts after it.
        version, now, call = self._read_version(), time.monotonic(), self._key(environ)
        with self._lock:
            until = self._until.get(call, 0.0)
            if version is not None and version == self._version and now < until:
                return until
        left = check()
        until = now + (self._trust if left is None else min(self._trust, left))
        with self._lock:
            if version != self._version or len(self._until) >= MOST_CHECKS:
                self._version, self._until = version, {}
            if version is not None:
                self._until[call] = until
        return until

    def _key(self, environ: Mapping[str, object]) -> bytes:
        """The key of all that a request says, by whatever connection it came."""
        said = [pair for pair in environ.items() if isinstance(pair[1], str) and pair[0] != "REMOTE_PORT"]
        return hashlib.blake2b(repr(sorted(said)).encode(), key=self._seal, digest_size=16).digest()


def _check_each_time(check: Callable[[], float | None]) -> float:
    """Make a check, which counts for no time."""
    check()
    return 0.0


class OpenCall:
    """A call that is still being answered (vfs.call.Ongoing).

    `check` raises VfsError when it would be refused now, `wire` is the connection where the server tells it,
    `stopping` is set when the service stops. `ask` makes the check before each piece, or knows its outcome,
    and says until when (monotonic) that counts. The `watch` looks at it as long as it has a place.
    """

    def __init__(
        self,
        check: Callable[[], float | None],
        wire: socket.socket | None,
        stopping: threading.Event,
        room: SharedRoom,
        holder: RoomHolder,
        ask: Callable[[Callable[[], float | None]], float] = _check_each_time,
        watch: RightsWatch | None = None,
    ) -> None:
        self._watch, self._is_lost = watch, False
        self.trusted_until = 0.0
        self._check = check
        self._wire = wire
        self._stopping = stopping
        self._room = room
        self._holder = holder
        self._ask = ask
        self._place: RoomStay | None = None

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
        """Whether the caller is there and may still have the answer; not while nobody can tell."""
        if self._is_lost or self._stopping.is_set() or _hung_up(self._wire):
            return False
        try:
            self.trusted_until = self._ask(self._check)
        except VfsError:
            return False
        return True

    def check(self) -> None:
        """Raise VfsError as the call would be refused now."""
        self._check()

    def is_over(self) -> bool:
        """Whether the service stops, or the right to the answer was lost."""
        return self._is_lost or self._stopping.is_set()

    def is_lost(self) -> bool:
        """Whether the right to the answer was lost."""
        return self._is_lost

    def look_again(self) -> bool:
        """Look whether the caller may still have the answer; whether that right is lost."""
        try:
            self.trusted_until = self._ask(self._check)
        except Unavailable:
            return False
        except VfsError:
            self._is_lost = True
        return self._is_lost


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
