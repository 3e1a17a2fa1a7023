"""Room for what goes on for long, shared between accounts and addresses so that each finds some."""

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
"""The part of those who only look on; they keep nobody from working."""
GIT = "git"


class LimitHolder(NamedTuple):
    """Holder of places: an account, or strangers from an address; without a name any of all strangers."""

    name: str
    is_stranger: bool = False


class _Area(NamedTuple):
    """A part of the room, or the half of it that strangers may have."""

    part: str
    half: bool


class LimitSlot(NamedTuple):
    """A stay in some areas of the room, from `enter` to `leave`."""

    holder: LimitHolder
    areas: Sequence[_Area]


class SharedLimit:
    """Room for `most` at once, with fewer for some `parts` by their names; nobody waits for one.

    In each area a holder may have as much as is free: alone it has half of them, beside another a
    third, and a holder with none finds one while there is any. Strangers have one half of each part together.
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
        """Take room. Raises Unavailable when none is left, TooMany when that is the holder's doing."""
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
        """Give back what was taken."""
        with self._lock:
            for area in stay.areas:
                self._taken[area] -= 1
                self._taken[area, stay.holder] -= 1
                if not self._taken[area, stay.holder]:
                    del self._taken[area, stay.holder]


def room_of(most: int, gits: int = 64) -> SharedLimit:
    """The room of a process in which so many requests may stay open, and so many gits work."""
    return SharedLimit(most, **{WATCHING: max(1, most // 2), GIT: min(gits, most)})
