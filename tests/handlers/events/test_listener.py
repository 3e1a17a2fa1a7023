"""A connection to which events are sent: what it takes, what it sends, and when it ends."""

from __future__ import annotations

import contextlib
import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wsproto.events import BytesMessage, CloseConnection, Ping, TextMessage

from handlers.events import packets
from handlers.events.frames import BURST, BYTES_A_SECOND
from handlers.events.hub import PatternIndex
from handlers.events.listener import JOIN_SECONDS, MOST_PATTERNS, MOST_UNSENT
from handlers.events.packets import LARGEST, PING_SECONDS, PONG_SECONDS
from handlers.rules.event_patterns import parse
from tests.handlers.events.quiet import KeptWire, Peer, listener

EVENT = {"event_type": "data_update"}
PATTERN = parse("/u/alice/p")


class Talk:
    """A listener with its client, who has joined."""

    def __init__(self, *, joins: bool = True) -> None:
        self.index, self.wire = PatternIndex(), KeptWire()
        self.one, self.peer = listener(self.index), Peer(self.wire)
        self.one.begin(self.wire)
        self.opening = self.peer.read()
        if joins:
            assert self.say("40")[1].startswith('42["connected",{"user":"alice"')

    def say(self, text: Any) -> list[Any]:
        self.one.receive(self.peer.frame(text))
        return self.peer.read()

    def subscribe(self, pattern: object, number: str = "") -> list[Any]:
        return self.say(f'42{number}["subscribe_events",{json.dumps({"subscription": pattern})}]')


def test_it_opens_and_joins_as_engineio_and_socketio_want() -> None:
    talk = Talk(joins=False)
    (opening,) = talk.opening
    assert isinstance(opening, str)
    assert json.loads(opening[1:]).keys() == {"sid", "upgrades", "pingInterval", "pingTimeout", "maxPayload"}
    joined, connected = talk.say("40")
    assert joined.startswith('40{"sid":')
    assert connected == '42["connected",{"user":"alice","seq":0}]'
    assert talk.say("40") == []
    assert talk.say("40/admin,") == ['44/admin,{"message":"events have no namespace"}']
    assert talk.say('42["some_other_event"]') == []


def test_events_are_numbered_and_say_by_which_subscription_they_come() -> None:
    talk = Talk()
    assert talk.subscribe("/u/@alice/p/*", "7") == ['437[{"subscription":"/u/@alice/p/*"}]']
    assert set(talk.index.find(("u", "alice", "p", "x"), "data_update")) == {talk.one}
    talk.one.send(PATTERN, EVENT)
    talk.one.miss()
    talk.one.send(PATTERN, EVENT)
    events = [json.loads(text[2:])[1] for text in talk.peer.read() if isinstance(text, str)]
    assert [one["seq"] for one in events] == [1, 3]
    assert events[0]["subscription"] == "/u/@alice/p/*"
    assert talk.say('42["unsubscribe_events",{"subscription":"/u/alice/p"}]') == []
    assert talk.index.find(("u", "alice", "p", "x"), "data_update") == {}


def test_a_subscription_that_is_none_is_refused_with_its_reason() -> None:
    talk = Talk()
    (refused,) = talk.subscribe("/v1/users/x")
    name, error = json.loads(refused[2:])
    assert (name, error["subscription"]) == ("subscribe_error", "/v1/users/x")
    assert error["reason"].startswith("a pattern begins with /u/")
    for number in range(MOST_PATTERNS):
        assert talk.subscribe(f"/u/x{number}") == []
    (full,) = talk.subscribe("/u/one-more")
    assert "at most" in full
    assert talk.subscribe("/u/x1") == [], "the same again is no further one"
    assert json.loads(talk.say('42["subscribe_events"]')[0][2:])[0] == "subscribe_error"


def test_a_slow_client_misses_events_and_sees_the_gap() -> None:
    talk = Talk()
    talk.subscribe("/u/alice/p")
    talk.wire.takes = False
    large = {"event_type": "x" * 1000}
    for _ in range(200):
        talk.one.send(PATTERN, large)
    assert talk.wire.unsent < MOST_UNSENT + 2000
    talk.wire.takes = True
    talk.one.send(PATTERN, EVENT)
    numbers = [json.loads(text[2:])[1]["seq"] for text in talk.peer.read() if isinstance(text, str)]
    assert numbers[-1] == 201
    assert numbers[:-1] == list(range(1, len(numbers)))


def test_a_client_that_does_not_answer_a_ping_is_disconnected() -> None:
    talk, now = Talk(), time.monotonic()
    talk.one.tick(now)
    assert talk.peer.read() == []
    talk.one.tick(now + PING_SECONDS + 1)
    assert talk.peer.read() == ["2"]
    assert talk.say("3") == []
    talk.one.tick(now + PING_SECONDS * 2 + 2)
    talk.one.tick(now + PING_SECONDS * 2 + PONG_SECONDS + 3)
    ping, close = talk.peer.read()
    assert ping == "2"
    assert isinstance(close, CloseConnection)
    assert "ping" in str(close.reason)
    assert talk.wire.is_closed


def test_a_client_that_never_joins_is_disconnected() -> None:
    talk = Talk(joins=False)
    talk.one.tick(time.monotonic() + JOIN_SECONDS + 1)
    (close,) = talk.peer.read()
    assert isinstance(close, CloseConnection)
    assert talk.wire.is_closed


@pytest.mark.parametrize(
    ("sent", "code"),
    [
        ("", 1008),
        ("9", 1008),
        ("x", 1008),
        ("0", 1008),
        ("45-[1]", 1008),
        ('451-["subscribe_events",{"_placeholder":true,"num":0}]', 1008),
        ("42", 1008),
        ("42[]", 1008),
        ("42" + "[" * 5000, 1008),
        ("42" + "1" * 200 + '["x"]', 1008),
        ("bAAAA", 1008),
        ("42" + '"' + "x" * LARGEST + '"', 1009),
        (BytesMessage(b"\0\1"), 1003),
    ],
)
def test_an_invalid_message_ends_the_connection(sent: Any, code: int) -> None:
    talk = Talk()
    (close,) = talk.say(sent)
    assert (close.code, talk.wire.is_closed) == (code, True)
    talk.one.send(PATTERN, EVENT)
    assert talk.peer.read() == []


def test_nobody_subscribes_before_joining() -> None:
    talk = Talk(joins=False)
    (close,) = talk.subscribe("/u/alice")
    assert close.code == 1008


@pytest.mark.parametrize("packet", ["41", "1"])
def test_a_client_that_leaves_is_disconnected(packet: str) -> None:
    talk = Talk()
    talk.subscribe("/u/alice/p")
    (close,) = talk.say(packet)
    assert close.code == 1000
    assert talk.index.find(("u", "alice", "p"), "x") == {}


def test_frames_of_the_protocol_are_answered() -> None:
    talk = Talk()
    talk.one.receive(talk.peer.frame(Ping(b"hello")))
    assert b"hello" in b"".join(talk.wire.sent)
    talk.wire.sent.clear()
    (close,) = talk.say(CloseConnection(1000, "bye"))
    assert (close.code, talk.wire.is_closed) == (1000, True)


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"\x81\x02hi", 1002),
        (b"\xc1\x82\0\0\0\0hi", 1002),
        (b"\x81\x82\0\0\0\0\xff\xfe", 1007),
        (b"\x83\x80\0\0\0\0", 1002),
        (b"\x89\xfe\xff\xff\0\0\0\0", 1002),
    ],
    ids=["unmasked", "compressed", "no UTF-8", "an unknown frame", "a long ping"],
)
def test_broken_frames_end_the_connection(data: bytes, code: int) -> None:
    talk = Talk()
    talk.one.receive(data)
    (close,) = talk.peer.read()
    assert isinstance(close, CloseConnection)
    assert (close.code, talk.wire.is_closed) == (code, True)


def test_a_message_in_pieces_is_put_together_and_bounded() -> None:
    talk = Talk()
    for piece in ('42["subscribe_', 'events",{"subscription":"/u/al'):
        assert talk.say(TextMessage(piece, message_finished=False)) == []
    assert talk.say(TextMessage('ice/p"}]')) == []
    assert set(talk.index.find(("u", "alice", "p"), "x")) == {talk.one}
    for _ in range(100):
        if said := talk.say(TextMessage("x" * 1000, message_finished=False)):
            break
    assert said[0].code == 1009


def test_a_client_that_floods_is_disconnected() -> None:
    began, talk, sent = time.monotonic(), Talk(), 0
    while not talk.wire.is_closed:
        data = talk.peer.frame("3") * 100
        talk.one.receive(data)
        sent += len(data)
        assert sent < BURST * 1.2 + (time.monotonic() - began) * BYTES_A_SECOND
    assert talk.peer.read()[-1].code == 1008


@given(st.text(alphabet='0123456789[]{}",-/ab', max_size=60))
def test_any_packet_is_understood_or_refused(text: str) -> None:
    with contextlib.suppress(packets.Unreadable):
        packets.read(text)


@given(st.lists(st.binary(max_size=200), max_size=10))
def test_no_bytes_break_a_connection_in_another_way_than_by_its_end(pieces: list[bytes]) -> None:
    talk = Talk()
    for piece in pieces:
        if not talk.wire.is_closed:
            talk.one.receive(piece)
