"""Where a request comes from: whose word is taken for it, and who is on this very host."""

from __future__ import annotations

from typing import Any

import pytest

from handlers.http.request_head import Front, RequestHead, read_head
from tests.kit.client import environment

HERE = "127.0.0.1"
NAMED = Front(proxies=frozenset({"127.0.0.1"}))
ELSEWHERE = Front(proxies=frozenset({"10.0.0.5"}))
PUBLIC = Front(base_url="https://curlew.example")
MARKED = Front(forwarder=lambda mark: mark == "ours")

FORWARDING = [
    *("Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Forwarded", "X-Real-IP"),
    *("Via", "True-Client-IP", "CF-Connecting-IP", "Fastly-Client-IP", "X-Client-IP", "X-Original-Host"),
    *("X-Cluster-Client-IP", "CDN-Loop", "X-Amzn-Trace-Id", "X-Envoy-External-Address", "Client-IP"),
]


def ask(front: Front, peer: str = HERE, *headers: tuple[str, str], **environ: Any) -> RequestHead:
    made = environment("POST", "/v1/register", headers, b"")
    return read_head({**made, "REMOTE_ADDR": peer, **environ}, front)


@pytest.mark.parametrize("peer", ["127.0.0.1", "127.8.9.1", "::1", "::ffff:127.0.0.1"])
@pytest.mark.parametrize("host", ["localhost:8000", "127.0.0.1:8000", "[::1]:8000", "LOCALHOST", "127.1.1.1"])
def test_who_is_on_this_host_is_local(peer: str, host: str) -> None:
    one = ask(Front(), peer, ("Host", host))
    assert (one.local, one.source) == (True, peer)


@pytest.mark.parametrize("header", FORWARDING)
@pytest.mark.parametrize("value", ["127.0.0.1", "", "for=127.0.0.1"])
def test_a_header_of_a_proxy_hides_who_it_is(header: str, value: str) -> None:
    one = ask(Front(), HERE, (header, value))
    assert (one.local, one.source) == (False, "")


@pytest.mark.parametrize("peer", ["10.0.0.5", "192.168.1.9", "8.8.8.8", "2001:4860:4860::8888", ""])
def test_who_comes_from_elsewhere_is_not_local(peer: str) -> None:
    one = ask(Front(), peer)
    assert (one.local, one.source) == (False, peer)


@pytest.mark.parametrize(
    "host",
    ["curlew.example", "127.0.0.1.evil.example", "localhost.evil.example", "10.0.0.1", "a b", "x@localhost"],
)
def test_a_name_that_was_led_here_is_not_local(host: str) -> None:
    assert not ask(Front(), HERE, ("Host", host)).local


@pytest.mark.parametrize("front", [PUBLIC, NAMED, ELSEWHERE])
def test_nobody_is_local_where_a_proxy_is_set(front: Front) -> None:
    assert not ask(front).local


def test_an_old_version_of_http_is_a_proxy_s() -> None:
    one = ask(Front(), SERVER_PROTOCOL="HTTP/1.0")
    assert (one.local, one.source) == (False, "")


@pytest.mark.parametrize(
    ("front", "peer", "source"),
    [
        (NAMED, "127.0.0.1", "203.0.113.7"),
        (ELSEWHERE, "10.0.0.5", "203.0.113.7"),
        (ELSEWHERE, "10.0.0.6", "10.0.0.6"),
        (ELSEWHERE, "127.0.0.1", ""),
        (Front(), "10.0.0.6", ""),
        (Front(), "8.8.8.8", "8.8.8.8"),
        (PUBLIC, "10.0.0.6", ""),
    ],
)
def test_whose_word_is_taken(front: Front, peer: str, source: str) -> None:
    one = ask(front, peer, ("X-Forwarded-For", "198.51.100.1, 203.0.113.7"))
    assert (one.source, one.address) == (source, source or peer)


@pytest.mark.parametrize("front", [NAMED, PUBLIC])
def test_a_proxy_that_says_nothing_is_nobody(front: Front) -> None:
    assert ask(front).source == ""


def test_the_forwarder_of_the_server_is_known_by_its_mark() -> None:
    step = ("X-Forwarded-For", "10.114.202.7")
    for mark, source in (("ours", "10.114.202.7"), ("", ""), ("theirs", "")):
        one = ask(MARKED, HERE, step, ("X-Curlew-Forwarder", mark))
        assert (one.source, one.local) == (source, False)
