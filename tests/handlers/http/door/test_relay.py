"""A call on the loop that waits: others are answered meanwhile."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from handlers.http.door.relay import MOST_STUCK, LoopRelay
from tests.handlers.http.test_server import PATIENCE, Running, closing, finish, start, status
from tests.kit.wire.malformed import head


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    running = start(tmp_path_factory.mktemp("relay"))
    yield running
    running.process.send_signal(signal.SIGTERM)
    running.process.wait(PATIENCE)
    finish(running)


def test_a_thread_that_waits_is_relieved_once() -> None:
    relay = LoopRelay(patience=0, rest=0)
    assert not relay.relieve()
    leg = relay.begin()
    assert not relay.is_wary
    assert (relay.relieve(), relay.relieve()) == (True, False)
    assert relay.is_wary
    assert not relay.end(leg)
    assert not relay.is_wary
    assert relay.end(relay.begin())


def test_calls_are_not_risked_where_many_wait() -> None:
    relay = LoopRelay(patience=0, rest=0)
    legs = []
    for _ in range(MOST_STUCK):
        assert not relay.is_spent
        legs.append(relay.begin())
        assert relay.relieve()
    assert relay.is_spent
    assert not any(relay.end(leg) for leg in legs)
    assert not relay.is_spent


def test_a_short_call_keeps_its_thread() -> None:
    relay = LoopRelay(patience=PATIENCE, rest=0)
    leg = relay.begin()
    assert not relay.relieve()
    assert relay.end(leg)
    assert not relay.is_wary


def test_all_are_answered_while_quick_calls_wait(server: Running, tmp_path: Path) -> None:
    gate, answers = tmp_path / "gate", []
    waiting = closing(head("GET", f"/v1/wait?until={gate}"))
    clients = [threading.Thread(target=lambda: answers.append(server.exchange(waiting))) for _ in range(5)]
    for client in clients:
        client.start()
        for path in ("/healthz", "/v1/text", "/v1/both"):
            assert status(server.exchange(closing(head("GET", path)))) == 200
    assert not answers
    gate.touch()
    for client in clients:
        client.join(PATIENCE)
    assert [status(answer) for answer in answers] == [200] * 5
    assert status(server.exchange(closing(head("GET", "/v1/wait")))) == 200
