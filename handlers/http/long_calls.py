"""Long calls: slots that bound their number, and the liveness check of one that is being answered."""

from __future__ import annotations

import select
import socket
import threading
from collections.abc import Callable
from contextlib import suppress

from vfs.errors import Unavailable, VfsError


class LongCallSlots:
    """At most `most` slots for calls that stay open, so that the others never wait for a thread.

    Spare calls get no more than half of them: those who only look on keep nobody from working.
    """

    def __init__(self, most: int) -> None:
        self._lock = threading.Lock()
        self._most = most
        self._taken = {False: 0, True: 0}

    def take(self, *, spare: bool = False) -> None:
        """Take a slot. Raises Unavailable when none is free."""
        with self._lock:
            full = sum(self._taken.values()) >= self._most
            full = full or (spare and self._taken[True] >= max(1, self._most // 2))
            if not full:
                self._taken[spare] += 1
        if full:
            raise Unavailable(
                "as many requests as may stay open are waiting already: "
                "try again soon; a trigger need not wait with  Prefer: respond-async",
                retry_after=5,
            )

    def give_back(self, *, spare: bool = False) -> None:
        """Free a slot."""
        with self._lock:
            self._taken[spare] -= 1


class OpenCall:
    """A call that is still being answered (vfs.call.Ongoing).

    `ask` raises VfsError when it would be refused now, `wire` is the connection where the server tells it,
    `stopping` is set when the service stops.
    """

    def __init__(
        self,
        ask: Callable[[], object],
        wire: socket.socket | None,
        stopping: threading.Event,
        slots: LongCallSlots,
    ) -> None:
        self._ask = ask
        self._wire = wire
        self._stopping = stopping
        self._slots = slots
        self._has_slot = False
        self._is_spare = False

    def begin(self, *, spare: bool = False) -> None:
        """Take a slot, unless this call has one."""
        if not self._has_slot:
            self._slots.take(spare=spare)
            self._has_slot, self._is_spare = True, spare

    def end(self) -> None:
        """Free the slot, if one was taken."""
        if self._has_slot:
            self._has_slot = False
            self._slots.give_back(spare=self._is_spare)

    def is_allowed(self) -> bool:
        """Whether the caller is there and may still have the answer; not while nobody can tell."""
        if self._stopping.is_set() or _hung_up(self._wire):
            return False
        try:
            self.check()
        except VfsError:
            return False
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
