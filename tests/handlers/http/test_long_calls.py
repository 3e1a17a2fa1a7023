"""Long calls have separate room, and are checked again and again from their beginning to their end."""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from handlers.http.long_calls import OpenCall, RightsWatch
from handlers.rules.shared_limit import LimitHolder, room_of
from vfs.errors import Denied, Unauthenticated, Unavailable, VfsError

BOB = LimitHolder("bob")


def going(ask: Callable[[], object] = lambda: None, wire: Any = None) -> OpenCall:
    return OpenCall(ask, wire, threading.Event(), room_of(1), BOB)


def test_a_call_has_one_place_until_it_ends() -> None:
    room = room_of(1)
    one, other, short = (OpenCall(lambda: None, None, threading.Event(), room, BOB) for _ in range(3))
    one.begin()
    one.begin()
    with pytest.raises(Unavailable):
        other.begin()
    other.end()
    short.end()
    with pytest.raises(Unavailable):
        other.begin()
    one.end()
    one.end()
    other.begin()
    with pytest.raises(Unavailable):
        one.begin()


def test_half_of_the_room_is_kept_from_those_who_only_look_on() -> None:
    room = room_of(4)
    calls = [OpenCall(lambda: None, None, threading.Event(), room, LimitHolder(name)) for name in "abcde"]
    for looker in calls[:2]:
        looker.begin(spare=True)
    with pytest.raises(Unavailable):
        calls[2].begin(spare=True)
    calls[2].begin()
    calls[3].begin()
    with pytest.raises(Unavailable):
        calls[4].begin()
    calls[0].end()
    calls[4].begin(spare=True)


@pytest.mark.parametrize(
    "refusal", [Denied("no"), Unauthenticated("who"), Unavailable("away"), VfsError("x")]
)
def test_a_call_that_would_be_refused_now_is_not_answered_on(refusal: VfsError) -> None:
    refused: list[VfsError] = []

    def ask() -> None:
        if refused:
            raise refused[0]

    answered = going(ask)
    assert answered.is_allowed()
    refused.append(refusal)
    assert not answered.is_allowed()


def test_a_service_that_stops_ends_what_goes_on() -> None:
    stopping = threading.Event()
    answered = OpenCall(lambda: None, None, stopping, room_of(1), BOB)
    assert (answered.is_allowed(), answered.is_over()) == (True, False)
    stopping.set()
    assert (answered.is_allowed(), answered.is_over()) == (False, True)


@pytest.mark.parametrize("last", [b"", b"GET /more"])
def test_a_client_that_has_hung_up_is_noticed(last: bytes) -> None:
    ours, theirs = socket.socketpair()
    with ours:
        answered = going(wire=ours)
        theirs.sendall(last)
        assert answered.is_allowed()
        theirs.close()
        assert not answered.is_allowed()
    assert not answered.is_allowed()


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


def test_a_forked_process_starts_a_new_watch() -> None:
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
