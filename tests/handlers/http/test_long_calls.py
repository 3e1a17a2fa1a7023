"""Long calls have room of their own, and what is asked while one is answered."""

from __future__ import annotations

import socket
import threading

import pytest

from handlers.http.long_calls import LongCallSlots, OpenCall, hold_no_slot
from vfs.access import PUBLIC, Verb
from vfs.call import Call
from vfs.errors import Denied, Unauthenticated, Unavailable, VfsError
from vfs.path import Path


def call(path: str) -> Call:
    return Call(Verb.READ, Path.parse(path), PUBLIC, None)


def test_a_short_call_takes_no_slot() -> None:
    slots = LongCallSlots(lambda call: call.path[-1] == "log", 1)
    assert slots.enter(call("/v1/x")) is hold_no_slot
    leave = slots.enter(call("/v1/log"))
    with pytest.raises(Unavailable):
        slots.enter(call("/v1/log"))
    leave()
    slots.enter(call("/v1/log"))()


@pytest.mark.parametrize(
    "refusal", [Denied("no"), Unauthenticated("who"), Unavailable("away"), VfsError("x")]
)
def test_a_call_that_would_be_refused_now_is_not_answered_on(refusal: VfsError) -> None:
    refused: list[VfsError] = []

    def ask() -> None:
        if refused:
            raise refused[0]

    going = OpenCall(ask, None, threading.Event())
    assert going.is_allowed()
    refused.append(refusal)
    assert not going.is_allowed()


def test_a_service_that_stops_ends_what_goes_on() -> None:
    stopping = threading.Event()
    going = OpenCall(lambda: None, None, stopping)
    assert (going.is_allowed(), going.is_over()) == (True, False)
    stopping.set()
    assert (going.is_allowed(), going.is_over()) == (False, True)


@pytest.mark.parametrize("last", [b"", b"GET /more"])
def test_a_client_that_has_hung_up_is_noticed(last: bytes) -> None:
    ours, theirs = socket.socketpair()
    with ours:
        going = OpenCall(lambda: None, ours, threading.Event())
        theirs.sendall(last)
        assert going.is_allowed()
        theirs.close()
        assert not going.is_allowed()
    assert not going.is_allowed()
