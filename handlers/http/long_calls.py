"""Long calls: their number is limited, and they end soon after the right to them has ended."""

from __future__ import annotations

import logging
import os
import select
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from typing import Protocol

from handlers.rules.hosts import network
from handlers.rules.shared_limit import WATCHING, WHOLE, LimitHolder, LimitSlot, SharedLimit
from vfs.errors import Unavailable, VfsError

log = logging.getLogger("curlew")

EVERY_SECONDS = 3.0
"""Seconds between two checks: open calls end within 5 seconds (decisions 12c)."""


class WatchedCall(Protocol):
    """A call that stays open."""

    def look_again(self) -> bool:
        """Check its permission again; return whether it was lost."""


class RightsWatch:
    """Checks the open calls of a process every few seconds.

    `wake` wakes waiting calls, so that they notice. After a fork it starts empty: its thread starts with its
    first call.
    """

    def __init__(self, wake: Callable[[], object], every: float = EVERY_SECONDS) -> None:
        self._wake, self._every = wake, every
        self._lock = threading.Lock()
        self._calls: set[WatchedCall] = set()
        self._process = 0

    def add(self, call: WatchedCall) -> None:
        """Begin to watch a call."""
        with self._lock:
            if self._process != os.getpid():
                self._process, self._calls = os.getpid(), set()
                threading.Thread(target=self._run, name="rights", daemon=True).start()
            self._calls.add(call)

    def remove(self, call: WatchedCall) -> None:
        """Stop watching a call."""
        with self._lock:
            self._calls.discard(call)

    def _run(self) -> None:
        while True:
            time.sleep(self._every)
            try:
                self.look()
            except Exception:
                log.exception("open calls could not be checked")

    def look(self) -> None:
        """Check all calls, and wake those that have lost their permission."""
        with self._lock:
            calls = list(self._calls)
        lost = [call for call in calls if call.look_again()]
        if lost:
            self._wake()


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
