"""Writes on PostgreSQL beside transactions of others that keep the same rows."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import psycopg2
import pytest

from tests.kit.client import Answer
from tests.kit.gunicorn import Service, prepare
from tests.kit.postgres import Postgres

USER = "writer"
DOCS = f"/v1/users/{USER}/vis/docs"
WRITERS = 12
ROUNDS = 20
KEPT_SECONDS = 2.0
SOON_SECONDS = 30.0

pytestmark = pytest.mark.postgres


class LiveWorld:
    """Two web processes, and writers to two documents."""

    def __init__(self, folder: Path, url: str) -> None:
        self.url = url
        self.token = prepare(folder, url, [USER])[USER]
        self.service = Service(folder, url, workers=2)
        self.service.start()
        self.pool = ThreadPoolExecutor(WRITERS)
        for name in ("one", "two"):
            assert self.call("PUT", f"{DOCS}/{name}").status == 201

    def call(self, method: str, path: str, body: bytes = b"") -> Answer:
        client = self.service.client(self.token)
        try:
            return client.call(method, path, body, "text/plain" if body else None)
        finally:
            client.close()

    def write(self, name: str, text: str) -> Future[Answer]:
        return self.pool.submit(self.call, "POST", f"{DOCS}/{name}/summary", text.encode())


@pytest.fixture
def live_world(postgres: Postgres, tmp_path: Path) -> Iterator[LiveWorld]:
    url = postgres.fresh()
    live_world = LiveWorld(tmp_path / "data", url)
    yield live_world
    live_world.pool.shutdown()
    live_world.service.kill()
    postgres.drop(url)


def test_writers_of_other_rows_do_not_wait_for_a_locked_row(live_world: LiveWorld) -> None:
    with psycopg2.connect(live_world.url) as keeper:
        keeper.cursor().execute("SELECT 1 FROM item WHERE name = 'one' FOR UPDATE")
        blocked = [live_world.write("one", f"text {number}") for number in range(WRITERS // 2)]
        others = [live_world.write("two", f"text {number}") for number in range(WRITERS // 2)]
        began = time.monotonic()
        assert {one.result(SOON_SECONDS).status for one in others} == {200}
        assert live_world.call("GET", f"{DOCS}/one/name").status == 200
        waited = time.monotonic() - began
        time.sleep(max(0.0, KEPT_SECONDS - waited))
        assert [one.result() for one in blocked if one.done()] == []
    keeper.close()
    assert {one.result(SOON_SECONDS).status for one in blocked} == {200}


def test_writers_of_two_processes_to_the_same_documents_are_all_answered(live_world: LiveWorld) -> None:
    for number in range(ROUNDS):
        written = [live_world.write(("one", "two")[at % 2], f"{number} {at}") for at in range(WRITERS)]
        assert {one.result(SOON_SECONDS).status for one in written} == {200}
    for name in ("one", "two"):
        assert live_world.call("GET", f"{DOCS}/{name}/summary").body.decode().startswith(f"{ROUNDS - 1} ")
