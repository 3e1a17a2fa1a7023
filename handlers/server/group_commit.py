"""GroupCommit: short writes that wait together are answered on the loop, in one transaction."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable
from dataclasses import dataclass

from handlers.server.application import Claimant, Grouping, OnWait
from handlers.server.event_loop import make_safely
from handlers.server.fair_pool import ClaimantQueue
from handlers.server.limits import ClientLimits
from vfs.errors import VfsError

log = logging.getLogger("curlew")

MOST_TOGETHER = 16
# Whoever reads waits for the loop meanwhile.
BESIDE_READERS = 3
# Turns of the loop that bring other requests, before those that wait are answered.
MOST_TURNS = 8


@dataclass(frozen=True, slots=True)
class GroupedWrite:
    """A request in a group: `begin` has it answered, `finish` sends the answer once that is durable.

    `repeat` has it answered anew in a thread, where the transaction came to nothing.
    """

    begin: Callable[[], object]
    finish: Callable[[], object]
    repeat: Callable[[], object]


class GroupFailed(Exception):
    """Raised where the storage took the transaction of a group back by itself."""


class GroupCommit:
    """Answers several requests at once, claimants in turns, as soon as the last are durable.

    They are MOST_TOGETHER, or BESIDE_READERS where other requests are answered on the loop too.

    Where a transaction came to nothing, or one takes longer than `limits.sync_patience` seconds, all that
    wait are answered in threads, and for `limits.rest` seconds it is not `is_open`: each then waits for the
    storage by itself, and is told what is wrong. `later` makes a call on the loop.

    The lead is handed over for a lock, and for a sync where others read or the last one took longer than
    `limits.brief` seconds: a change of threads takes some time too, and other writes wait for the sync in
    any case.

    All that is kept here belongs to the thread that leads, which may change between two calls of it: whoever
    is in `answer` while another leads changes nothing but the two times of the sync, and ends by a call on
    the loop.
    """

    def __init__(self, grouping: Grouping, limits: ClientLimits, later: Callable[..., object]) -> None:
        self._grouping = grouping
        self._limits = limits
        self._later = later
        self._queue: ClaimantQueue[GroupedWrite] = ClaimantQueue()
        # When the group that is being answered began; no other begins before it has ended.
        self._began: float | None = None
        self._sync_began: float | None = None
        self._sync_seconds = math.inf
        self._turns = 0
        self._has_readers = False
        self._closed_until = 0.0

    @property
    def is_open(self) -> bool:
        """Whether requests may be grouped now."""
        return not self._closed_until or time.monotonic() >= self._closed_until

    @property
    def has_waiting(self) -> bool:
        """Whether requests wait."""
        return bool(self._queue)

    @property
    def is_due(self) -> bool:
        """Whether requests wait that the next turn of the loop, if it brings none, would answer."""
        return bool(self._queue) and self._began is None

    def submit(self, claimant: Claimant, write: GroupedWrite) -> None:
        """Have a request answered at the end of a turn of the loop, together with others that wait."""
        self._queue.put(claimant, write)

    def note_reader(self) -> None:
        """Note that another request is answered on the loop."""
        self._has_readers = True

    def gathers(self, is_busy: bool) -> bool:
        """Note that a turn of the loop is over; whether to wait for the next, as a busy one brings others.

        Clients whose answers went out together come back one after the other, while the first is read.
        """
        self._turns = self._turns + 1 if is_busy and self._queue and not self._has_readers else 0
        return 0 < self._turns < MOST_TURNS and len(self._queue) < MOST_TOGETHER

    def answer(self, hand_over: Callable[[], object]) -> None:
        """Answer requests that wait, unless others are being synced; `hand_over` gives up the lead."""
        if self._began is not None:
            if time.monotonic() - self._began > self._limits.sync_patience:
                self._close([])
        elif self._queue:
            has_readers, self._turns, self._has_readers = self._has_readers, 0, False
            writes = self._take(BESIDE_READERS if has_readers else MOST_TOGETHER)
            self._began = time.monotonic()

            def on_wait(is_sync: bool) -> None:
                self._sync_began = time.monotonic() if is_sync else None
                if not is_sync or has_readers or self._sync_seconds > self._limits.brief:
                    hand_over()

            self._answer(writes, on_wait)

    def _take(self, most: int) -> list[GroupedWrite]:
        return [self._queue.take() for _ in range(min(most, len(self._queue)))]

    def _answer(self, writes: list[GroupedWrite], on_wait: OnWait) -> None:
        done, self._sync_began = self._end, None
        try:
            with self._grouping.together(on_wait, several=len(writes) > 1) as is_open:
                for write in writes:
                    write.begin()
                    if not is_open():
                        raise GroupFailed
        except Exception as error:
            if not isinstance(error, VfsError | GroupFailed):
                log.exception("writes that waited together failed, and are made one by one")
            done = self._close
        if self._sync_began is not None:
            self._sync_seconds = time.monotonic() - self._sync_began
        self._later(done, writes)

    def _end(self, writes: list[GroupedWrite]) -> None:
        self._began = None
        for write in writes:
            make_safely(write.finish)

    def _close(self, writes: list[GroupedWrite]) -> None:
        if writes:
            self._began = None
        self._closed_until = time.monotonic() + self._limits.rest
        for write in (*writes, *self._take(len(self._queue))):
            make_safely(write.repeat)
