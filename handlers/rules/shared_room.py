"""Room for what goes on for long, shared between accounts and addresses so that each finds some."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
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


class RoomHolder(NamedTuple):
    """Holder of places: an account, or strangers from an address; without a name any of all strangers."""

    name: str
    is_stranger: bool = False


class _Area(NamedTuple):
    """A part of the room, or the half of it that strangers may have."""

    part: str
    strangers: bool


@dataclass(frozen=True, slots=True)
class RoomPlace:
    """A place in a part of the room."""

    holder: RoomHolder
    part: str

    @property
    def areas(self) -> Sequence[_Area]:
        """The areas that it lies in."""
        kinds = (False, True) if self.holder.is_stranger else (False,)
        return [_Area(part, kind) for part in dict.fromkeys((WHOLE, self.part)) for kind in kinds]


class SharedRoom:
    """Room of `most` places, of which some `parts` have fewer by their names; nobody waits for one.

    In each area a holder may have as many places as are free: alone it has half of them, beside another a
    third, and whoever has none finds one while there is any. Strangers have one half of each part together.
    """

    def __init__(self, most: int, **parts: int) -> None:
        self._sizes = {WHOLE: most, **parts}
        self._lock = threading.Lock()
        self._taken: Counter[object] = Counter()

    def enter(self, holder: RoomHolder, part: str = WHOLE) -> RoomPlace:
        """Take a place. Raises Unavailable when none is left, and TooMany when that is the holder's doing."""
        place = RoomPlace(holder, part)
        with self._lock:
            free = {area: self._size(area) - self._taken[area] for area in place.areas}
            if min(free.values()) <= 0:
                raise Unavailable(FULL, retry_after=RETRY_SECONDS)
            if holder.name and any(self._taken[area, holder] >= left for area, left in free.items()):
                raise TooMany(SHARE, retry_after=RETRY_SECONDS)
            for area in place.areas:
                self._taken.update((area, (area, holder)))
        return place

    def leave(self, place: RoomPlace) -> None:
        """Give a place back that was taken."""
        with self._lock:
            for area in place.areas:
                self._taken.subtract((area, (area, place.holder)))
                if not self._taken[area, place.holder]:
                    del self._taken[area, place.holder]

    def _size(self, area: _Area) -> int:
        size = self._sizes[area.part]
        return max(1, size // 2) if area.strangers else size


def room_of(most: int, gits: int = 64) -> SharedRoom:
    """The room of a process in which so many requests may stay open, and so many gits work."""
    return SharedRoom(most, **{WATCHING: max(1, most // 2), GIT: min(gits, most)})
