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

from handlers.identity.passwords import network
from handlers.rules.shared_room import WATCHING, WHOLE, RoomHolder, RoomPlace, SharedRoom
from vfs.errors import VfsError

TRUST_SECONDS = 60.0
"""How long a call counts as allowed while the database is as it was: credentials run out by the clock."""

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

    def ask(self, environ: Mapping[str, object], check: Callable[[], object]) -> None:
        """Check a call by its request, unless the same was asked since the last commit. Raises as `check`."""
        # Nothing of a check that began before a commit counts after it.
        version, now, call = self._read_version(), time.monotonic(), self._key(environ)
        with self._lock:
            if version is not None and version == self._version and now < self._until.get(call, 0.0):
                return
        check()
        with self._lock:
            if version != self._version or len(self._until) >= MOST_CHECKS:
                self._version, self._until = version, {}
            if version is not None:
                self._until[call] = now + self._trust

    def _key(self, environ: Mapping[str, object]) -> bytes:
        """The key of all that a request says, by whatever connection it came."""
        said = [pair for pair in environ.items() if isinstance(pair[1], str) and pair[0] != "REMOTE_PORT"]
        return hashlib.blake2b(repr(sorted(said)).encode(), key=self._seal, digest_size=16).digest()


class OpenCall:
    """A call that is still being answered (vfs.call.Ongoing).

    `check` raises VfsError when it would be refused now, `wire` is the connection where the server tells it,
    `stopping` is set when the service stops. `ask` makes the check before each piece, or knows its outcome.
    """

    def __init__(
        self,
        check: Callable[[], object],
        wire: socket.socket | None,
        stopping: threading.Event,
        room: SharedRoom,
        holder: RoomHolder,
        ask: Callable[[Callable[[], object]], object] = lambda check: check(),
    ) -> None:
        self._check = check
        self._wire = wire
        self._stopping = stopping
        self._room = room
        self._holder = holder
        self._ask = ask
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
        try:
            self._ask(self._check)
        except VfsError:
            return False
        return True

    def check(self) -> None:
        """Raise VfsError as the call would be refused now."""
        self._check()

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
