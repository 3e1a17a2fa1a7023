"""Answers that are given again by a whole service: each is the one that would be made anew at that moment."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import NamedTuple

import pytest

from handlers.rendering.fake import FakeRenderer
from handlers.rendering.socket_service import SOCKET, RenderServer
from tests.kit.client import Answer
from tests.kit.gunicorn import Client, Service, prepare
from tests.kit.postgres import Postgres

DOCS = "/v1/users/ann/vis/docs"
DOC = f"{DOCS}/plan"
PLOT = "/v1/users/ann/vis/plots/birds"
DRAWN = f"{PLOT}/files/plot.svg"
READS = (DOCS, f"{DOC}/summary", f"{DOCS}/later/summary", f"{DOC}/nothing", DRAWN)
ACTORS = ("ann", "bob", None, "stranger")
FLEETING = ("date", "x-request-id")
CONNECTIONS, TIMES = 1, 3
ASKED = (*(("GET", path) for path in READS), ("HEAD", READS[1]), ("OPTIONS", READS[1]))


Plain = tuple[int, dict[str, str], bytes]


class Act(NamedTuple):
    """A change, by its actor, after which everything is asked again."""

    actor: str
    method: str
    path: str
    body: str = ""


ACTS = (
    Act("ann", "POST", f"{DOC}/summary", "first words"),
    Act("ann", "PUT", f"{DOC}/shared/@bob~r"),
    Act("ann", "POST", f"{DOC}/summary", "other words"),
    Act("ann", "PUT", PLOT),
    Act("ann", "POST", f"{PLOT}/data", "a,b\nx,1\n"),
    Act("ann", "PUT", f"{PLOT}/shared/@bob~x"),
    Act("ann", "POST", f"{PLOT}/data", "break"),
    Act("ann", "POST", f"{PLOT}/data", "a,b\nx,2\n"),
    Act("ann", "DELETE", f"{PLOT}/shared/@bob~x"),
    Act("ann", "PUT", f"{DOC}/shared/public~r"),
    Act("ann", "PUT", f"{DOCS}/later"),
    Act("ann", "DELETE", f"{DOC}/shared/public~r"),
    Act("ann", "DELETE", f"{DOC}/shared/@bob~r"),
    Act("ann", "PATCH", f"{DOCS}/later", "plan2"),
    Act("bob", "DELETE", "/v1/admin/tokens/first"),
    Act("ann", "DELETE", DOC),
)


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def database(request: pytest.FixtureRequest) -> Iterator[str]:
    """The URL of a database; the empty one is the default."""
    if request.param == "sqlite":
        yield ""
        return
    postgres = Postgres()
    try:
        yield postgres.fresh()
    finally:
        postgres.stop()


class Watch:
    """Everybody's clients; after each change they ask for everything, again and anew."""

    def __init__(self, service: Service, tokens: dict[str, str]) -> None:
        known = {None: None, "stranger": "clw_" + "0" * 43, **tokens}
        self.clients = {name: [service.client(known[name]) for _ in range(CONNECTIONS)] for name in ACTORS}
        self.count = 0

    def do(self, act: Act) -> None:
        answer = self.clients[act.actor][0].call(act.method, act.path, act.body.encode(), "text/plain")
        assert answer.status < 300, (act, answer)

    def compare(self) -> list[int]:
        """Ask for all by each in several ways; the statuses, once equal requests were answered alike."""
        found = []
        for name, clients in self.clients.items():
            for method, path in ASKED:
                anew = self.read_anew(clients[0], method, path)
                for client in clients * TIMES:
                    assert plain(client.call(method, path)) == anew, (name, method, path)
                found.append(anew[0])
        return found

    def read_anew(self, client: Client, method: str, path: str) -> Plain:
        """An answer to a request like which there was none."""
        self.count += 1
        return plain(client.call(method, path, **{"X-Number": str(self.count)}))

    def close(self) -> None:
        for clients in self.clients.values():
            for client in clients:
                client.close()


def plain(answer: Answer) -> Plain:
    """An answer without what differs from one to the next."""
    id = answer.headers["x-request-id"].encode()
    kept = {name: value for name, value in answer.headers.items() if name not in FLEETING}
    return answer.status, kept, answer.body.replace(id, b"")


def test_an_answer_that_is_given_again_is_as_one_made_anew(tmp_path: Path, database: str) -> None:
    folder = tmp_path / "data"
    tokens = prepare(folder, database, ("ann", "bob"))
    service = Service(folder, database, workers=2)
    service.start()
    watch = Watch(service, tokens)
    with RenderServer(folder / SOCKET, FakeRenderer()) as renderer:
        Thread(target=renderer.serve_forever, daemon=True).start()
        try:
            watch.do(Act("ann", "PUT", DOC))
            found = [watch.compare()]
            for act in ACTS:
                watch.do(act)
                found.append(watch.compare())
                assert found[-1] != found[-2] or act.body, act
            service.stop()
            _check_log(service.log())
        finally:
            watch.close()
            service.kill()


def _check_log(log: str) -> None:
    """Every request has a line under an id of its own."""
    lines = [json.loads(line) for line in log.splitlines() if line.startswith("{")]
    requests = [line for line in lines if "request_id" in line]
    rounds = len(ACTS) + 1
    assert len(requests) == rounds + rounds * len(ACTORS) * len(ASKED) * (1 + CONNECTIONS * TIMES)
    assert len(requests) == len({line["request_id"] for line in requests})
