"""Heads are taken apart as gunicorn's own parser does, whichever way they are read."""

from __future__ import annotations

import random
from typing import Any

import pytest
from gunicorn.config import Config
from gunicorn.http.errors import NoMoreData, ParseException
from gunicorn.http.message import Request

from handlers.http.door.framing.strict_request import StrictRequest
from handlers.http.door.framing.unreader import WireUnreader
from tests.kit.malformed import REQUESTS, head

ORDINARY = (
    head("GET", "/"),
    head("GET", "/v1/users/alice/vis/docs/report/summary?x=1&y=/?", "Accept: text/html;q=0.9, */*"),
    head("POST", "/v1/a/b%20c", "Content-Length: 5", "Content-Type: text/plain", body=b"hello"),
    head("DELETE", "/v1//a:b;c=d/", "Connection: close", "X-Forwarded-Proto: https", "Cookie: a=b; c=d"),
    head("OPTIONS", "/v1", "Transfer-Encoding: chunked", "Expect: 100-continue", body=b"0\r\n\r\n"),
)
SEEDS = (*ORDINARY, *(sent for sent, _ in REQUESTS.values() if len(sent) < 5000))
ODD = (
    *(b"\r", b"\n", b"\r\n", b"\0", b" ", b"\t", b":", b"_", b"/", b"//", b"?", b"#", b"%", b"\\", b"\xff"),
    *(b"http://a/", b"HTTP/1.0", b"\r\n ", b"\r\nHost: b\r\n", b"\r\nContent-Length: 1\r\n", b"chunked"),
    *(b"\r\nTransfer-Encoding: chunked\r\n", b"\r\nX_Y: 1\r\n", b"\r\nExpect: more\r\n", b"\x7f", b"[", b"@"),
)
PEERS = (("127.0.0.1", 1), ("192.0.2.1", 1))


@pytest.fixture(scope="module")
def config() -> Any:
    config: Any = Config()
    config.set("http_parser", "python")
    return config


def read(kind: type[Request], config: Any, sent: bytes, peer: object) -> object:
    """All that a parser says of a request."""
    unreader = WireUnreader(sent)
    try:
        found = kind(config, unreader, peer, 1)
    except (ParseException, NoMoreData, StopIteration) as error:
        return type(error)
    reader = found.body.reader
    framing = (type(reader), getattr(reader, "length", None), found._expected_100_continue, found.scheme)
    line = (found.method, found.uri, found.path, found.query, found.fragment, found.version)
    return (*line, found.headers, *framing, found.should_close(), unreader.take_buffered())


@pytest.mark.parametrize("peer", PEERS)
def test_changed_heads_are_read_as_gunicorn_reads_them(config: Any, peer: object) -> None:
    dice = random.Random(14)
    for number in range(4000):
        sent = bytearray(dice.choice(SEEDS))
        for _ in range(number % 4):
            at = dice.randrange(len(sent))
            sent[at : at + dice.choice((0, 0, 1, 3))] = dice.choice(ODD)
        assert read(StrictRequest, config, bytes(sent), peer) == read(Request, config, bytes(sent), peer), (
            sent
        )


@pytest.mark.parametrize("sent", ORDINARY)
def test_an_ordinary_head_is_known_by_its_shape(config: Any, sent: bytes) -> None:
    ordinary = StrictRequest.__new__(StrictRequest)
    ordinary.cfg, ordinary.peer_addr = config, PEERS[0]
    assert ordinary._take_ordinary(sent.partition(b"\r\n\r\n")[0].decode() + "\r\n")


@pytest.mark.parametrize(
    "header", ["X-Long: " + "x" * 5000, *["X-Tab: a\tb", "X-End: a ", "X_Y: 1", "X-No:"]]
)
def test_what_is_out_of_the_ordinary_is_left_to_gunicorn(config: Any, header: str) -> None:
    sent = head("GET", "/", header)
    assert read(StrictRequest, config, sent, PEERS[0]) == read(Request, config, sent, PEERS[0])
