"""A call on the loop that waits: others are answered meanwhile."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from handlers.server.leadership import MOST_STUCK, Leadership
from tests.handlers.server.test_server import PATIENCE, Running, closing, finish, start, status
from tests.kit.wire.malformed import head


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    running = start(tmp_path_factory.mktemp("leadership"))
    yield running
    running.process.send_signal(signal.SIGTERM)
    running.process.wait(PATIENCE)
    finish(running)


def test_a_leader_that_waits_is_deposed_once() -> None:
    leadership = Leadership(patience=0, rest=0)
    assert not leadership.depose()
    term = leadership.begin_call()
    assert not leadership.is_wary
    assert (leadership.depose(), leadership.depose()) == (True, False)
    assert leadership.is_wary
    assert not leadership.end_call(term)
    assert not leadership.is_wary
    assert leadership.end_call(leadership.begin_call())


def test_calls_are_not_risked_where_many_wait() -> None:
    leadership = Leadership(patience=0, rest=0)
    terms = []
    for _ in range(MOST_STUCK):
        assert not leadership.is_spent
        terms.append(leadership.begin_call())
        assert leadership.depose()
    assert leadership.is_spent
    assert not any(leadership.end_call(term) for term in terms)
    assert not leadership.is_spent


def test_a_short_call_keeps_its_thread() -> None:
    leadership = Leadership(patience=PATIENCE, rest=0)
    term = leadership.begin_call()
    assert not leadership.depose()
    assert leadership.end_call(term)
    assert not leadership.is_wary


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
