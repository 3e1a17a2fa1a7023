"""Long calls have room of their own, and what is asked while one is answered."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from typing import Any

import pytest

from handlers.http.long_calls import OpenCall
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
