"""Streams read by the door, by h11 and by llhttp: it takes no other requests than both of them do."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import h11
import httptools
import pytest
from gunicorn.config import Config
from gunicorn.http.errors import ParseException
from hypothesis import event, given, settings
from hypothesis import strategies as st

from handlers.server.framing.assembly import Arrival, RequestAssembly
from handlers.server.framing.wire_request import METHODS, ParserSettings
from handlers.server.limits import ClientLimits
from tests.kit.counting.amount import points
from tests.kit.wire.streams import Sent, pieces, requests

pytestmark = pytest.mark.soak

Taken = tuple[str, str, bytes]
LARGE = 1 << 20


@dataclass
class Reading:
    """The requests that were taken whole, and what becomes of what follows: it is refused, not
    looked at as the connection ends, or the end of it is waited for.
    """

    taken: list[Taken] = field(default_factory=list)
    refused: bool = False
    ended: bool = False
    waits: bool = False


def parser_settings() -> Any:
    config: Any = Config()
    for name, value in (("http_parser", "python"), ("limit_request_field_size", 16_384)):
        config.set(name, value)
    return ParserSettings(config)


SETTINGS = parser_settings()


def read_by_door(stream: list[bytes]) -> Reading:
    assembly, found = RequestAssembly(SETTINGS, ClientLimits(small_body=LARGE), ("127.0.0.1", 1)), Reading()
    try:
        for piece in stream:
            arrival = assembly.feed(piece) if piece else Arrival.HEAD
            while arrival is Arrival.WHOLE:
                request = assembly.request
                assert request is not None
                if request.method not in METHODS:
                    # Its answer says so, and is the last one.
                    found.refused = True
                    return found
                found.taken.append((request.method, request.target, assembly.body().read()))
                if request.closes:
                    found.ended = True
                    return found
                arrival = assembly.begin_next()
    except ParseException:
        found.refused = True
    else:
        found.waits = not assembly.is_empty
    return found


def read_by_h11(sent: bytes) -> Reading:
    connection, found = h11.Connection(h11.SERVER, max_incomplete_event_size=LARGE), Reading()
    connection.receive_data(sent)
    request, body = None, b""
    try:
        while True:
            happened = connection.next_event()
            if isinstance(happened, h11.Request):
                request, body = happened, b""
            elif isinstance(happened, h11.Data):
                body += bytes(happened.data)
            elif isinstance(happened, h11.EndOfMessage):
                assert request is not None
                found.taken.append((request.method.decode(), request.target.decode("latin-1"), body))
                if request.method == b"CONNECT":
                    found.ended = True
                    return found
                connection.send(h11.Response(status_code=204, headers=[]))
                connection.send(h11.EndOfMessage())
                if connection.our_state is not h11.DONE or connection.their_state is not h11.DONE:
                    found.ended = True
                    return found
                connection.start_next_cycle()
            else:
                return found
    except h11.RemoteProtocolError:
        found.refused = True
    return found


class Llhttp:
    """What llhttp tells of one request after the other."""

    def __init__(self) -> None:
        self.found = Reading()
        self.parser: Any = httptools.HttpRequestParser(self)
        self.target, self.body = b"", b""

    def on_message_begin(self) -> None:
        self.target, self.body = b"", b""

    def on_url(self, url: bytes) -> None:
        self.target += url

    def on_body(self, body: bytes) -> None:
        self.body += body

    def on_message_complete(self) -> None:
        method = self.parser.get_method().decode()
        self.found.taken.append((method, self.target.decode("latin-1"), self.body))
        self.found.ended = not self.parser.should_keep_alive()


def read_by_llhttp(sent: bytes) -> Reading:
    reader = Llhttp()
    try:
        reader.parser.feed_data(sent)
    except httptools.HttpParserUpgrade:
        reader.found.ended = True
    except httptools.HttpParserError:
        reader.found.refused = not reader.found.ended
    return reader.found


def plain(taken: list[Taken]) -> list[Taken]:
    """Requests by method and body, and by their target where it has only one form."""
    return [(method, target if target.startswith("/") else "", body) for method, target, body in taken]


def compare(found: Reading, other: Reading, sent: bytes) -> None:
    """Assert that the door took nothing else, nothing more, and refused what another refuses."""
    count = len(found.taken)
    absolute = [index for index, one in enumerate(other.taken) if not one[1].startswith("/")]
    ours = [
        (method, "" if index in absolute else target, body)
        for index, (method, target, body) in enumerate(found.taken)
    ]
    assert ours == plain(other.taken)[:count], sent
    if not (found.refused or found.ended):
        assert not other.refused or found.waits, sent
        assert len(other.taken) == count, sent


def check(stream: list[bytes]) -> Reading:
    sent = b"".join(stream)
    found = read_by_door(stream)
    compare(found, read_by_h11(sent), sent)
    compare(found, read_by_llhttp(sent), sent)
    assert read_by_door([sent]) == found, sent
    return found


@settings(max_examples=points(375), deadline=None)
@given(st.data(), st.lists(requests(odd=True), min_size=1, max_size=5))
def test_whatever_is_sent_the_same_requests_are_taken(data: Any, sent: list[Sent]) -> None:
    found = check(data.draw(pieces(b"".join(one.wire for one in sent))))
    event(f"taken {len(found.taken)}, {'refused' if found.refused else 'whole'}")


@settings(max_examples=points(75), deadline=None)
@given(st.data(), st.lists(requests(odd=False), min_size=1, max_size=6))
def test_sound_requests_are_all_taken(data: Any, sent: list[Sent]) -> None:
    found = check(data.draw(pieces(b"".join(one.wire for one in sent))))
    assert found.taken == [(one.method, one.target, one.body) for one in sent]
    assert not found.refused


@settings(max_examples=points(250), deadline=None)
@given(st.data(), requests(odd=True), st.integers(0, 300), st.integers(0, 255), st.booleans())
def test_a_changed_byte_makes_no_other_request(
    data: Any, one: Sent, place: int, byte: int, grows: bool
) -> None:
    at = place % len(one.wire)
    changed = one.wire[:at] + bytes([byte]) + one.wire[at if grows else at + 1 :] + one.wire
    check(data.draw(pieces(changed)))
