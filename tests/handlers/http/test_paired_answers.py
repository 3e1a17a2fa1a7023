"""Answers over kept connections of a real server: each is to its own request, however the bytes come."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.handlers.server.test_server import Running, finish, start
from tests.kit.wire.streams import BODIED, PairedConnection, Sent, bodied, named, pieces, requests

pytestmark = pytest.mark.soak

SMUGGLED = b"PUT /v1/text HTTP/1.1\r\nX-Request-ID: smuggled\r\nX-Ignore: "
QUICK = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
TARGETS = st.sampled_from(("/v1/text", "/v1/wait", "/v1/nowhere", "/healthz", "/docs", "/v1/a%zz"))


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    running = start(tmp_path_factory.mktemp("paired"))
    yield running
    finish(running)


@QUICK
@given(data=st.data(), sent=st.lists(requests(odd=False, targets=TARGETS), min_size=1, max_size=5))
def test_each_answer_is_to_its_own_request(server: Running, data: Any, sent: list[Sent]) -> None:
    asked = named(sent)
    stream = data.draw(pieces(b"".join(one.wire for one in asked)))
    with server.connect() as wire:
        connection = PairedConnection(wire)
        found = connection.ask(stream, asked)
        assert [id for _, id in found] == [f"r{number}" for number in range(len(asked))]
        assert not connection.has_more()


@QUICK
@given(data=st.data(), sent=st.lists(requests(odd=True, targets=TARGETS), min_size=1, max_size=5))
def test_nothing_is_answered_behind_what_is_odd(server: Running, data: Any, sent: list[Sent]) -> None:
    """Behind a request that is refused for its framing nothing is answered; before it everything is."""
    asked = named(sent)
    stream = data.draw(pieces(b"".join(one.wire for one in asked)))
    sound = next((number for number, one in enumerate(asked) if not one.is_sound), len(asked))
    with server.connect() as wire:
        wire.settimeout(2.0)
        try:
            found = PairedConnection(wire).ask([*stream, b""], asked[: sound + 1])
        except TimeoutError:
            return
        assert [id for _, id in found[:sound]] == [f"r{number}" for number in range(sound)]
        assert [id for _, id in found[sound:]] in ([], [""], [f"r{sound}"])


@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS", "DELETE"])
@pytest.mark.parametrize("pause", [0.0, 0.05])
def test_a_body_is_never_a_request(server: Running, method: str, pause: float) -> None:
    for _ in range(5):
        one = bodied(method, "/v1/text", SMUGGLED)
        with server.connect() as wire:
            head = one.wire[: -len(SMUGGLED)]
            wire.sendall(head)
            time.sleep(pause)
            found = PairedConnection(wire).ask([SMUGGLED, b"x\r\n\r\n"], [one, one])
        assert found == [(400, "")]


@pytest.mark.parametrize("method", sorted(BODIED))
def test_a_head_is_not_answered_before_its_body(server: Running, method: str) -> None:
    one, *_ = named([bodied(method, "/v1/nowhere", b"12345")])
    with server.connect() as wire:
        connection = PairedConnection(wire)
        for _ in range(3):
            wire.sendall(one.wire[:-5])
            assert not connection.has_more()
            assert [id for _, id in connection.ask([b"12345"], [one])] == ["r0"]
