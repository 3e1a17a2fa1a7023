"""Calls that stay open are checked again and again, from their beginning to their end."""

from __future__ import annotations

import os
import time

from handlers.http.long_calls import RightsWatch


class Open:
    """A call that counts how often it is checked."""

    def __init__(self, *, lost: bool = False) -> None:
        self.looks, self._lost = 0, lost

    def look_again(self) -> bool:
        self.looks += 1
        return self._lost


class Watched:
    """A watch, and how often it woke those that wait."""

    def __init__(self, every: float = 3600) -> None:
        self.woken = 0
        self.watch = RightsWatch(self._wake, every)

    def _wake(self) -> None:
        self.woken += 1


def test_a_call_is_checked_each_time_and_not_after_its_end() -> None:
    watched, one, other = Watched(), Open(), Open()
    for call in (one, other):
        watched.watch.add(call)
    watched.watch.look()
    watched.watch.remove(other)
    watched.watch.look()
    assert (one.looks, other.looks, watched.woken) == (2, 1, 0)


def test_those_that_wait_are_woken_when_one_is_lost() -> None:
    watched = Watched(every=0.01)
    watched.watch.add(Open(lost=True))
    until = time.monotonic() + 30
    while not watched.woken:
        assert time.monotonic() < until
        time.sleep(0.01)


def test_a_fork_begins_anew() -> None:
    watched = Watched(every=0.01)
    watched.watch.add(Open())
    child = os.fork()
    if not child:
        mine = Open(lost=True)
        watched.woken = 0
        watched.watch.add(mine)
        time.sleep(0.5)
        os._exit(0 if watched.woken and mine.looks else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
