"""PostgreSQL killed, and cut off from its clients, at random moments under runs, triggers and writes."""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import psycopg2
import pytest

from chains.runs.states import Status
from tests.durability.acts import READER
from tests.durability.kills.deaths import Living, Site
from tests.durability.kills.front import CHAINS, JOBS, SCRIPTS, WITHIN, Front
from tests.durability.kills.test_web import JSON, OUTCOMES, PLAIN, Told, check, finish, found
from tests.durability.test_lost_database import commit_for_good, refused
from tests.durability.writer import Writer
from tests.kit.client import Answer
from tests.kit.clocks import until
from tests.kit.counting.amount import Counted, points, seed
from tests.kit.gunicorn import Client, Service, prepare
from tests.kit.postgres import Postgres, in_memory_folder

pytestmark = [pytest.mark.soak, pytest.mark.postgres, pytest.mark.timeout(600)]

TRIGGERED = [name for name in CHAINS if name != "inner"]
BLOWS = 3
CLIENTS = 3
LONGEST = 0.3
OTHERS = "FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"


class Visitor:
    """Triggers runs, and answers and stops its own. What is refused while the database is away may have
    happened or not.
    """

    def __init__(self, service: Service, token: str, dice: random.Random) -> None:
        self.runs: list[Told] = []
        self._service = service
        self._token = token
        self._dice = dice

    def work(self, over: threading.Event) -> None:
        client = self._service.client(self._token)
        with contextlib.closing(client):
            while not over.is_set():
                self._act(client)

    def _act(self, client: Client) -> None:
        if not self.runs or self._dice.random() < 0.4:
            self._trigger(client)
            return
        told = self._dice.choice(self.runs[-4:])
        name, word = self._dice.choice(
            [("hold", "continue")] * 2 + [("hold", "decline"), ("status", "canceled")]
        )
        answer = client.call("POST", f"{told.place}/{name}", word.encode(), PLAIN)
        if is_refused(answer):
            told.canceled |= name == "status"
            return
        assert answer.status in (202, 200, 409), answer
        if answer.status == 202 and name == "hold":
            told.answers.append(OUTCOMES[word])
        told.canceled |= answer.status == 202 and name == "status"

    def _trigger(self, client: Client) -> None:
        path = f"{JOBS}/{self._dice.choice(TRIGGERED)}/data"
        prefer = {"Prefer": "respond-async"} if self._dice.random() < 0.5 else {}
        answer = client.call("POST", path, b"{}", JSON, **prefer)
        assert is_refused(answer) or answer.status in (200, 202, 204, 409), answer
        # A refusal tells of the run once there is one.
        if "location" in answer.headers:
            self.runs.append(Told(answer.headers["location"]))


def is_refused(answer: Answer) -> bool:
    """Whether it is the one refusal for a database that is away."""
    if answer.status == 503:
        refused(answer)
    return answer.status == 503


@dataclass
class Scene:
    """A service with its runner over a PostgreSQL server of its own."""

    server: Postgres
    url: str
    front: Front
    service: Service
    writer: Writer
    dice: random.Random = field(default_factory=lambda: random.Random(seed()))

    def strike(self) -> None:
        """Kill the server and start it again, cut off some or all of its clients, or kill one's process."""
        how = self.dice.choice(["server", "some", "all", "process"])
        if how == "server":
            self.server.crash()
            time.sleep(self.dice.uniform(0, LONGEST))
            self.server.restart()
            return
        connection = psycopg2.connect(self.url)
        connection.autocommit = True
        with contextlib.closing(connection), connection.cursor() as cursor:
            if how == "process":
                cursor.execute(f"SELECT pid {OTHERS}")
                # Between a cut and the next question there may be none, and one may end by itself.
                with contextlib.suppress(IndexError, ProcessLookupError):
                    os.kill(self.dice.choice(cursor.fetchall())[0], signal.SIGKILL)
                return
            share = 0.3 if how == "some" else 1.0
            cursor.execute(f"SELECT pg_terminate_backend(pid) {OTHERS} AND random() < %s", (share,))

    def recover(self) -> None:
        """Wait until the service is good again by itself."""
        with contextlib.closing(self.service.client(None)) as client:
            assert until(lambda: client.call("GET", "/readyz").status, lambda status: status == 200) == 200


@pytest.fixture
def scene() -> Iterator[Scene]:
    server = Postgres()
    try:
        url = server.fresh()
        commit_for_good(url)
        with in_memory_folder() as folder:
            front = Front(Site(Path(folder) / "data", url, SCRIPTS))
            data = front.site.settings().folder
            service = Service(data, url)
            writer = Writer(service, "writer", prepare(data, url, ["writer", READER]), random.Random(seed()))
            service.start()
            try:
                yield Scene(server, url, front, service, writer)
            finally:
                service.kill()
                front.close()
    finally:
        server.stop()


def test_runs_and_writes_outlive_a_database_that_dies(scene: Scene, record_property: Counted) -> None:
    front, service, dice = scene.front, scene.service, scene.dice
    runner = Living(front.site)
    assert runner.ready(WITHIN)
    visitors = [Visitor(service, front.token, random.Random(dice.random())) for _ in range(CLIENTS)]
    try:
        with ThreadPoolExecutor(CLIENTS + 1) as pool:
            for _ in range(points(BLOWS)):
                one_blow(scene, visitors, pool)
        finish(front)
        for told in [told for visitor in visitors for told in visitor.runs]:
            check(front, told)
        front.nothing_wrong(inputs=False)
        runner.end()
    finally:
        runner.kill()
    assert "Traceback" not in service.log()
    record_property("blows to PostgreSQL under runs", points(BLOWS))


def one_blow(scene: Scene, visitors: list[Visitor], pool: ThreadPoolExecutor) -> None:
    """Let all work, strike, let them meet it, and look when it is over."""
    over = threading.Event()
    works = [pool.submit(visitor.work, over) for visitor in visitors]
    works.append(pool.submit(scene.writer.work, lambda: not over.is_set(), 503))
    time.sleep(scene.dice.uniform(0.02, LONGEST))
    scene.strike()
    time.sleep(scene.dice.uniform(0.02, LONGEST))
    over.set()
    for work in works:
        work.result(WITHIN)
    scene.recover()
    scene.writer.compare()
    scene.front.nothing_wrong(inputs=False)


def test_an_open_trigger_is_told_of_its_run_when_the_database_dies(scene: Scene) -> None:
    """Nobody works on the run, and its caller waits; no second one need be triggered."""
    front = scene.front
    with ThreadPoolExecutor(1) as pool, contextlib.closing(scene.service.client(front.token)) as client:
        asked = pool.submit(client.call, "POST", f"{JOBS}/slow/data", b"{}", JSON)
        (run,) = until(front.unended, lambda runs: len(runs) == 1)
        scene.server.crash()
        answer = asked.result(WITHIN)
    refused(answer)
    scene.server.restart()
    scene.recover()
    assert json.loads(answer.body)["run"] == run.id
    assert found(front, answer.headers["location"]).status is Status.PROCESSING
