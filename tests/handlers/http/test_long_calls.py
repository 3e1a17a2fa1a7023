"""Long calls have room of their own, and what is asked while one is answered."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from typing import Any, cast

import pytest

from handlers.http.long_calls import OpenCall, TrustedCheck
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


class Checks:
    """A check that counts how often it is made, and is refused at some of the times."""

    def __init__(self, *refused: int) -> None:
        self.number, self._refused = 0, refused

    def __call__(self) -> None:
        self.number += 1
        if self.number in self._refused:
            raise Denied("no")


def test_it_is_not_asked_again_while_nothing_is_committed() -> None:
    check, version = Checks(4), cast("int | None", 1)
    call = OpenCall(check, None, threading.Event(), room_of(1), BOB, lambda: version)

    def is_allowed_twice() -> tuple[bool, bool, int]:
        return call.is_allowed(), call.is_allowed(), check.number

    assert is_allowed_twice() == (True, True, 1)
    version = 2
    assert is_allowed_twice() == (True, True, 2)
    version = None
    assert is_allowed_twice() == (True, False, 4)
    version = 3
    assert is_allowed_twice() == (True, True, 5)


def test_no_check_counts_that_began_before_a_commit() -> None:
    versions, made = iter((1, 2, 2)), list[int]()
    trusted = TrustedCheck(lambda: next(versions), lambda: made.append(1))
    for _ in range(3):
        trusted.make()
    assert len(made) == 2


def test_a_check_counts_no_longer_than_its_credential() -> None:
    made = list[int]()

    def check() -> float:
        made.append(1)
        return 0.0

    trusted = TrustedCheck(lambda: 1, check)
    trusted.make()
    trusted.make()
    assert len(made) == 2


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
