"""Counts that go on in memory while the disk is too full for those that all processes share."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from vfs.errors import NoSpace
from vfs.ports.people import Limit, Rates


class SpareRates:
    """vfs.ports.people.Rates over stored ones, and others in this process where those cannot be written.

    So who tries a password is answered as always, and no oftener.
    """

    def __init__(self, stored: Rates, make_spare: Callable[[], Rates]) -> None:
        self._stored = stored
        self._make_spare = make_spare
        self._spare: Rates | None = None

    def take(self, limits: Sequence[Limit]) -> int:
        try:
            wait = self._stored.take(limits)
        except NoSpace:
            spare = self._spare = self._spare or self._make_spare()
            return max(spare.take(limits), *map(self._stored.wait_for, limits), 0)
        self._spare = None
        return wait

    def give_back(self, subjects: Sequence[str]) -> None:
        if (spare := self._spare) is not None:
            spare.give_back(subjects)
            return
        try:
            self._stored.give_back(subjects)
        except NoSpace:
            return

    def wait_for(self, limit: Limit) -> int:
        spare = self._spare
        return max(self._stored.wait_for(limit), spare.wait_for(limit) if spare is not None else 0)
