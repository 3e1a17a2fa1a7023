"""What is looked at of calls that stay open: all after a commit, one at its time, and else nothing."""

from __future__ import annotations

import os
import time

from handlers.http.rights_watch import RightsWatch


class Open:
    """A call that counts how often it is looked at."""

    def __init__(self, *, lost: bool = False) -> None:
        self.trusted_until, self.looks, self._lost = float("inf"), 0, lost

    def look_again(self) -> bool:
        self.looks += 1
        return self._lost


class World:
    """A version of the database, and how often somebody was woken."""

    def __init__(self) -> None:
        self.version: int | None = 1
        self.asked = self.woken = 0

    def read(self) -> int | None:
        self.asked += 1
        return self.version

    def wake(self) -> None:
        self.woken += 1

    def watch(self, every: float = 3600) -> RightsWatch:
        return RightsWatch(self.read, self.wake, every)


def test_nothing_is_asked_for_nobody() -> None:
    world = World()
    world.watch().look()
    assert world.asked == 0


def test_the_version_is_asked_for_once_for_all_and_calls_after_a_commit() -> None:
    world, calls = World(), [Open() for _ in range(5)]
    watch = world.watch()
    for call in calls:
        watch.add(call)
    watch.look()
    for _ in range(3):
        watch.look()
    assert (world.asked, [call.looks for call in calls]) == (4, [1] * 5)
    world.version = 2
    watch.look()
    assert [call.looks for call in calls] == [2] * 5
    world.version = None
    watch.look()
    watch.look()
    assert [call.looks for call in calls] == [4] * 5
    assert world.woken == 0


def test_a_call_is_looked_at_in_its_time_and_not_after_its_end() -> None:
    world, one, other = World(), Open(), Open()
    watch = world.watch()
    watch.add(one)
    watch.add(other)
    watch.look()
    one.trusted_until = time.monotonic()
    watch.look()
    watch.remove(other)
    world.version = 2
    watch.look()
    assert (one.looks, other.looks) == (3, 1)


def test_those_that_wait_are_woken_when_one_is_lost() -> None:
    world = World()
    watch = world.watch(every=0.01)
    watch.add(Open(lost=True))
    until = time.monotonic() + 30
    while not world.woken:
        assert time.monotonic() < until
        time.sleep(0.01)


def test_a_fork_begins_anew() -> None:
    world = World()
    watch = world.watch(every=0.01)
    watch.add(Open())
    child = os.fork()
    if not child:
        mine = Open(lost=True)
        world.woken = 0
        watch.add(mine)
        time.sleep(0.5)
        os._exit(0 if world.woken and mine.looks else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
