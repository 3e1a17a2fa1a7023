"""A database that answers nothing for a while, and one that is gone, beside quick calls."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.durability.test_lost_database import refused
from tests.kit.client import Answer
from tests.kit.gunicorn import Service, prepare
from tests.kit.postgres import Postgres

USER = "writer"
DOC = f"/v1/users/{USER}/vis/docs/mine"
QUICK = (
    ("GET", f"{DOC}/name", b""),
    ("OPTIONS", f"{DOC}/name", b""),
    ("GET", f"{DOC}/nothing", b""),
    ("GET", "/v1/whoami", b""),
    ("POST", f"{DOC}/summary", b"Short"),
)
CROWD = 40
FROZEN_SECONDS = 3.0
HEALTHY_SECONDS = 0.05
SOON_SECONDS = 10.0
# A statement is looked into after 10 s, the look takes 5, and so does the attempt to connect anew.
GIVEN_UP_SECONDS = 35.0

pytestmark = [pytest.mark.soak, pytest.mark.postgres]


@pytest.fixture
def server() -> Iterator[Postgres]:
    """A server of the test's own, as it is stopped; what it has committed outlives that."""
    server = Postgres(durable=True)
    yield server
    server.stop()


class Clients:
    """A crowd that asks for what takes no time."""

    def __init__(self, service: Service, token: str) -> None:
        self._service, self._token = service, token
        self._pool = ThreadPoolExecutor(CROWD)

    def ask(self) -> list[Future[Answer]]:
        """The answers to come, to as many calls as there are in the crowd."""
        return [self._pool.submit(self._call, *QUICK[number % len(QUICK)]) for number in range(CROWD)]

    def _call(self, method: str, path: str, body: bytes) -> Answer:
        client = self._service.client(self._token)
        answer = client.call(method, path, body, "text/plain") if body else client.call(method, path)
        client.close()
        return answer


def health(service: Service, seconds: float) -> list[float]:
    """How long each look at the health took, in seconds, for so long."""
    client, took = service.client(None), []
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        began = time.monotonic()
        assert client.call("GET", "/healthz").status == 200
        took.append(time.monotonic() - began)
        time.sleep(0.002)
    client.close()
    return took


def settled(asked: list[Future[Answer]], seconds: float) -> list[Answer]:
    until = time.monotonic() + seconds
    return [one.result(max(0.0, until - time.monotonic())) for one in asked]


def test_quick_calls_wait_for_it_and_nothing_else_does(server: Postgres, tmp_path: Path) -> None:
    url = server.fresh()
    token = prepare(tmp_path / "data", url, [USER])[USER]
    service = Service(tmp_path / "data", url, workers=1)
    service.start()
    try:
        client = service.client(token)
        assert client.call("PUT", DOC).status == 201
        assert client.call("POST", f"{DOC}/name", b"Mine", "text/plain").status == 200
        clients = Clients(service, token)
        usual = sorted(answer.status for answer in settled(clients.ask(), SOON_SECONDS))
        with server.frozen():
            asked = clients.ask()
            took = health(service, FROZEN_SECONDS)
            assert not any(one.done() for one in asked)
        assert statistics.median(took) < HEALTHY_SECONDS
        assert max(took) < SOON_SECONDS / 4
        assert sorted(answer.status for answer in settled(asked, SOON_SECONDS)) == usual
        server.crash()
        for answer in settled(clients.ask(), SOON_SECONDS):
            refused(answer)
        assert statistics.median(health(service, 1.0)) < HEALTHY_SECONDS
        server.restart()
        assert sorted(answer.status for answer in settled(clients.ask(), SOON_SECONDS)) == usual
        assert client.call("GET", f"{DOC}/name").body == b"Mine"
        client.close()
    finally:
        service.kill()


def test_one_that_stays_frozen_is_given_up(server: Postgres, tmp_path: Path) -> None:
    url = server.fresh()
    token = prepare(tmp_path / "data", url, [USER])[USER]
    service = Service(tmp_path / "data", url, workers=1)
    service.start()
    try:
        client = service.client(token)
        assert client.call("PUT", DOC).status == 201
        clients = Clients(service, token)
        usual = sorted(answer.status for answer in settled(clients.ask(), SOON_SECONDS))
        with server.frozen():
            for seconds in (GIVEN_UP_SECONDS, GIVEN_UP_SECONDS / 2):
                asked = clients.ask()
                took = health(service, FROZEN_SECONDS)
                for answer in settled(asked, seconds):
                    refused(answer)
                assert sorted(took)[len(took) * 99 // 100] < HEALTHY_SECONDS
        until = time.monotonic() + SOON_SECONDS
        while sorted(answer.status for answer in settled(clients.ask(), SOON_SECONDS)) != usual:
            assert time.monotonic() < until
            time.sleep(0.2)
        client.close()
    finally:
        service.kill()
