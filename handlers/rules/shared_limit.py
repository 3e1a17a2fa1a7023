"""A limit on long requests, shared between accounts and addresses so that each gets slots."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Sequence
from operator import ge
from typing import NamedTuple

from vfs.errors import TooMany, Unavailable

ADVICE = "try again soon; a trigger need not wait with  Prefer: respond-async"
FULL = f"as many requests as may stay open are waiting already: {ADVICE}"
SHARE = f"you have as many requests open already as are left for all others: {ADVICE}"
RETRY_SECONDS = 5
WHOLE = "whole"
WATCHING = "watching"
"""The part for streams that only watch; it leaves the other slots for work."""
GIT = "git"


class LimitHolder(NamedTuple):
    """The holder of slots: an account, or anonymous callers of an address; "" if the address is unknown."""

    name: str
    is_stranger: bool = False


class _Area(NamedTuple):
    """A part of the slots, or the half of it that anonymous callers may use."""

    part: str
    half: bool


class LimitSlot(NamedTuple):
    """A slot in some areas, from `enter` to `leave`."""

    holder: LimitHolder
    areas: Sequence[_Area]


class SharedLimit:
    """A limit of `most` slots, with lower limits for some named `parts`; no call waits for a slot.

    A holder may take a slot while it has fewer than are free in each area: alone it gets half of them, two
    get a third each, and a new holder gets one while any is free. Anonymous callers share half of each.
    """

    def __init__(self, most: int, **parts: int) -> None:
        sizes = {WHOLE: most, **parts}
        self._sizes = {
            _Area(part, half): max(1, size // 2) if half else size
            for part, size in sizes.items()
            for half in (False, True)
        }
        self._areas = {
            (part, stranger): [
                one for one in self._sizes if one.part in (WHOLE, part) and one.half <= stranger
            ]
            for part, stranger in self._sizes
        }
        self._lock = threading.Lock()
        self._taken: Counter[object] = Counter()

    def enter(self, holder: LimitHolder, part: str = WHOLE) -> LimitSlot:
        """Take a slot. Raises Unavailable if none is free, TooMany if the holder itself has too many."""
        areas, taken = self._areas[part, holder.is_stranger], self._taken
        with self._lock:
            free = [self._sizes[area] - taken[area] for area in areas]
            if min(free) <= 0:
                raise Unavailable(FULL, retry_after=RETRY_SECONDS)
            shares = [taken[area, holder] for area in areas]
            if holder.name and any(map(ge, shares, free)):
                raise TooMany(SHARE, retry_after=RETRY_SECONDS)
            for area in areas:
                taken[area] += 1
                taken[area, holder] += 1
        return LimitSlot(holder, areas)

    def leave(self, stay: LimitSlot) -> None:
        """Release a slot."""
        with self._lock:
            for area in stay.areas:
                self._taken[area] -= 1
                self._taken[area, stay.holder] -= 1
                if not self._taken[area, stay.holder]:
                    del self._taken[area, stay.holder]


def room_of(most: int, gits: int = 64) -> SharedLimit:
    """Return the limit of a process for `most` open requests and at most `gits` git processes."""
    return SharedLimit(most, **{WATCHING: max(1, most // 2), GIT: min(gits, most)})
