"""Requests that come in pieces, several at once, cut short or without an end."""

from __future__ import annotations

import socket
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from typing import Any

import pytest
from gunicorn.config import Config
from gunicorn.http.errors import LimitRequestHeaders, ParseException

from handlers.server.framing.assembly import Arrival, RequestAssembly
from handlers.server.framing.bodies import MalformedBody, WireReader
from handlers.server.limits import ClientLimits
from tests.kit.wire.malformed import REQUESTS, head

LIMITS = ClientLimits(small_body=1000, longest_head=20_000)
POST = head("POST", "/v1/text", "Content-Length: 5", body=b"hello")
HOSTILE = ("bare LF", "folded header", "two hosts", "length and chunks", "lowercase method")
CHUNKED = head("POST", "/v1/text", "Transfer-Encoding: chunked", body=b"5\r\nhello\r\n0\r\n\r\n")


@pytest.fixture
def assembly() -> RequestAssembly:
    config: Any = Config()
    for name, value in (("limit_request_field_size", 16_384), ("limit_request_fields", 100)):
        config.set(name, value)
    return RequestAssembly(config, LIMITS, ("127.0.0.1", 1))


@pytest.mark.parametrize("sent", [POST, CHUNKED, head("GET", "/")])
@pytest.mark.parametrize("step", [1, 7, 1000])
def test_a_request_is_whole_with_its_last_byte(assembly: RequestAssembly, sent: bytes, step: int) -> None:
    pieces = [sent[at : at + step] for at in range(0, len(sent), step)]
    arrivals = [assembly.feed(piece) for piece in pieces]
    assert arrivals[-1] is Arrival.WHOLE
    assert not {Arrival.WHOLE, Arrival.LONG} & set(arrivals[:-1])
    assert assembly.body().read() == (b"hello" if sent.startswith(b"POST") else b"")


def test_requests_that_come_at_once_are_taken_one_by_one(assembly: RequestAssembly) -> None:
    assert assembly.feed(POST + CHUNKED + head("GET", "/last") + b"GET") is Arrival.WHOLE
    for uri in ("/v1/text", "/v1/text", "/last"):
        assert assembly.request is not None
        assert assembly.request.target == uri
        last = assembly.begin_next()
    assert last is Arrival.HEAD
    assert not assembly.is_empty


@pytest.mark.parametrize(
    "framing, body", [("Content-Length: 2000", b""), ("Transfer-Encoding: chunked", b"7d0\r\n")]
)
def test_a_long_body_is_not_waited_for(assembly: RequestAssembly, framing: str, body: bytes) -> None:
    assert assembly.feed(head("POST", "/v1/text", framing, body=body)) is Arrival.LONG


def test_many_small_chunks_are_a_long_body(assembly: RequestAssembly) -> None:
    assembly.feed(head("POST", "/v1/text", "Transfer-Encoding: chunked"))
    arrivals = [assembly.feed(b"1\r\nx\r\n") for _ in range(200)]
    assert arrivals[0] is Arrival.BODY
    assert arrivals[-1] is Arrival.LONG


@pytest.mark.parametrize("sent", [POST[:-2], CHUNKED[:-2], CHUNKED[:-9]])
def test_a_body_cut_short_is_refused(assembly: RequestAssembly, sent: bytes) -> None:
    assert assembly.feed(sent) is Arrival.BODY
    with pytest.raises(ParseException, match="cut short"):
        assembly.end()


@pytest.mark.parametrize("sent", [b"", b"GET / HTTP/1.1\r\nHost: x"])
def test_a_head_cut_short_is_no_request(assembly: RequestAssembly, sent: bytes) -> None:
    assert assembly.feed(sent) is Arrival.HEAD
    assembly.end()
    assert assembly.request is None


@contextmanager
def wire_of(sent: bytes) -> Iterator[WireReader]:
    """A connection on which all of this comes, and then its end."""
    here, there = socket.socketpair()
    with here:
        here.setblocking(False)
        with there:
            there.sendall(sent)
        yield WireReader(here, 1.0, 1)


@pytest.mark.parametrize("after", [b"", POST])
@pytest.mark.parametrize("chunked", [True, False])
def test_a_long_body_is_read_from_the_connection(
    assembly: RequestAssembly, chunked: bool, after: bytes
) -> None:
    content = bytes(range(256)) * 20
    coded = b"1400\r\n%b\r\n0\r\n\r\n" % content if chunked else content
    framing = "Transfer-Encoding: chunked" if chunked else f"Content-Length: {len(content)}"
    sent = head("POST", "/v1/text", framing, body=coded) + after
    assert assembly.feed(sent[:700]) is Arrival.LONG
    with wire_of(sent[700:]) as wire:
        body = assembly.long_body(wire)
        assert not assembly.is_body_over
        assert body.read(100) + body.read() == content
    assert assembly.is_body_over
    assert assembly.begin_next() is (Arrival.WHOLE if after else Arrival.HEAD)


def test_a_long_body_that_ends_too_soon_is_refused(assembly: RequestAssembly) -> None:
    assert assembly.feed(head("POST", "/v1/text", "Content-Length: 2000", body=b"x" * 10)) is Arrival.LONG
    with wire_of(b"x" * 1000) as wire, pytest.raises(MalformedBody, match="1010 of 2000"):
        assembly.long_body(wire).read()
    assert not assembly.is_body_over


@pytest.mark.parametrize(
    ("sent", "target", "host"),
    [
        (head("GET", "http://Other.example:80/a?b=c"), "/a?b=c", "Other.example:80"),
        (head("GET", "HTTPS://[::1]"), "/", "[::1]"),
        (head("GET", "http://a:?x"), "/?x", "a"),
        (head("GET", "/a?b"), "/a?b", "curlew"),
        (head("OPTIONS", "*"), "*", "curlew"),
    ],
)
def test_a_target_has_one_form_and_one_authority(
    assembly: RequestAssembly, sent: bytes, target: str, host: str
) -> None:
    assert assembly.feed(sent) is Arrival.WHOLE
    assert assembly.request is not None
    assert assembly.request.target == target
    assert [value for name, value in assembly.request.headers if name == "HOST"] == [host]


@pytest.mark.parametrize(
    ("lines", "closes"),
    [
        ((), False),
        (("Connection: close",), True),
        (("Connection: keep-alive",), False),
        (("Connection: keep-alive, Close",), True),
        (("Connection: x ,close\t",), True),
        (("Connection: keep-alive", "Connection: close"), True),
        (("Connection: closed",), False),
    ],
)
def test_options_of_the_connection_are_a_list(
    assembly: RequestAssembly, lines: tuple[str, ...], closes: bool
) -> None:
    assembly.feed(head("GET", "/", *lines))
    assert assembly.request is not None
    assert assembly.request.closes is closes


def feed_all(assembly: RequestAssembly, pieces: Iterable[bytes]) -> None:
    for piece in pieces:
        assembly.feed(piece)


def test_a_head_without_an_end_is_refused(assembly: RequestAssembly) -> None:
    lines = (f"X-{number}: 1\r\n".encode() for number in range(10_000))
    with pytest.raises(LimitRequestHeaders):
        feed_all(assembly, chain([head("GET", "/")[:-2]], lines))


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_head_is_refused_however_it_comes(assembly: RequestAssembly, name: str) -> None:
    with pytest.raises(ParseException):
        feed_all(assembly, (bytes([byte]) for byte in REQUESTS[name][0]))
