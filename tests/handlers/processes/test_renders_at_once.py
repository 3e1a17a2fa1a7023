"""Five hundred different renders of one plot asked for at once: bounded work, and everything else answers."""

from __future__ import annotations

import http.client
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import pytest

from tests.kit.server import rendering, web

READERS = 500
# The web server of the kit has this many threads, and keeps eight of them back from what goes on for long.
THREADS, KEPT_BACK = 32, 8
PATIENT = 10.0

Ask = Callable[[str], "Told"]


class Told(NamedTuple):
    """An answer: its status, whether it says when to come again, and the seconds that it took."""

    status: int
    retry_after: str | None
    seconds: float


@pytest.fixture
def ask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ask]:
    """Asks a server on which alice has a plot, each time by a connection of its own."""
    folder = tmp_path_factory.mktemp("renders")
    with web(folder) as server, rendering(folder):
        token = server.add("alice")
        server.ask("PUT", "vis/plots/birds", who="alice")
        server.ask("POST", "vis/plots/birds/data", b"month,curlews\nJan,11\nFeb,8\n", "alice")

        def ask(path: str) -> Told:
            began = time.monotonic()
            connection = http.client.HTTPConnection(server.origin.removeprefix("http://"), timeout=60)
            connection.request("GET", f"/v1/{path}", headers={"Authorization": f"Bearer {token}"})
            answer = connection.getresponse()
            answer.read()
            connection.close()
            return Told(answer.status, answer.getheader("Retry-After"), time.monotonic() - began)

        yield ask


def test_further_readers_are_asked_to_come_again_and_everything_else_answers(ask: Ask) -> None:
    widths = range(300, 300 + READERS)
    others: list[Told] = []
    over = threading.Event()

    def keep_asking() -> None:
        while not over.wait(0.05):
            others.append(ask("whoami"))

    with ThreadPoolExecutor(READERS + 1) as people:
        other = people.submit(keep_asking)
        told = list(people.map(lambda width: ask(f"u/alice/p/birds/svg?width={width}"), widths))
        over.set()
        other.result()
    drawn = [one for one in told if one.status == 200]
    refused = [one for one in told if one.status in (429, 503)]
    assert len(drawn) + len(refused) == READERS
    # All of them are one account's, which has half of the room.
    assert len(drawn) >= (THREADS - KEPT_BACK) // 2
    assert all(one.retry_after for one in refused)
    assert {one.status for one in others} == {200}
    assert max(one.seconds for one in others) < PATIENT
    assert ask("u/alice/p/birds/svg?width=299").status == 200
