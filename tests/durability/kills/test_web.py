"""kill -9 of a web worker, or of the whole web server, while runs are triggered, stopped and answered."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from chains.runs.records import Run
from chains.runs.states import Status
from tests.durability.kills.deaths import Living, Site
from tests.durability.kills.front import CHAINS, JOBS, SCRIPTS, WITHIN, Front
from tests.durability.writer import BROKEN
from tests.kit.counting.amount import Counted, points, seed
from tests.kit.gunicorn import Client, Service
from tests.kit.postgres import in_memory_folder

pytestmark = [pytest.mark.soak, pytest.mark.timeout(600)]

TRIGGERED = [name for name in CHAINS if name != "inner"]
KILLS = 13
CLIENTS = 3
LONGEST = 0.25
PLAIN, JSON = "text/plain", "application/json"
OUTCOMES = {"continue": "continued", "decline": "declined"}


@dataclass
class Acknowledged:
    """What was acknowledged of one run."""

    place: str
    answers: list[str] = field(default_factory=list)
    canceled: bool = False


class WebClient:
    """Triggers runs, and answers and stops its own, until the connection breaks."""

    def __init__(self, service: Service, token: str, dice: random.Random) -> None:
        self.runs: list[Acknowledged] = []
        self._service = service
        self._token = token
        self._dice = dice

    def work(self, over: threading.Event) -> None:
        client = self._service.client(self._token)
        try:
            while not over.is_set():
                self._act(client)
        except BROKEN:
            pass
        finally:
            client.close()

    def _act(self, client: Client) -> None:
        if not self.runs or self._dice.random() < 0.4:
            self._trigger(client)
            return
        run = self._dice.choice(self.runs[-4:])
        if self._dice.random() < 0.2:
            answer = client.call("POST", f"{run.place}/status", b"canceled", PLAIN)
            assert answer.status in (202, 200, 409), answer
            run.canceled |= answer.status == 202
            return
        word = self._dice.choice(["continue", "continue", "decline"])
        answer = client.call("POST", f"{run.place}/hold", word.encode(), PLAIN)
        assert answer.status in (202, 409), answer
        if answer.status == 202:
            run.answers.append(OUTCOMES[word])

    def _trigger(self, client: Client) -> None:
        path, prefer = f"{JOBS}/{self._dice.choice(TRIGGERED)}/data", {}
        if self._dice.random() < 0.5:
            prefer = {"Prefer": "respond-async"}
        answer = client.call("POST", path, b"{}", JSON, **prefer)
        assert answer.status in (200, 202, 204, 409), answer
        self.runs.append(Acknowledged(answer.headers["location"]))


@pytest.fixture
def front() -> Iterator[Front]:
    with in_memory_folder() as folder:
        front = Front(Site(Path(folder) / "data", None, SCRIPTS))
        yield front
        front.close()


def test_what_a_web_worker_acknowledged_outlives_it(front: Front, record_property: Counted) -> None:
    dice = random.Random(seed())
    settings = front.site.settings()
    service = Service(settings.folder, settings.database)
    runner = Living(front.site)
    assert runner.ready(WITHIN)
    clients = [WebClient(service, front.token, random.Random(dice.random())) for _ in range(CLIENTS)]
    service.start()
    try:
        with ThreadPoolExecutor(CLIENTS) as pool:
            for number in range(points(KILLS)):
                one_kill(service, clients, pool, dice, whole=number % 10 == 9)
                front.nothing_wrong(inputs=False)
    finally:
        service.kill()
    runs = [one for client in clients for one in client.runs]
    assert len(runs) >= points(KILLS)
    finish(front)
    for one in runs:
        check(front, one)
    front.nothing_wrong(inputs=False)
    runner.end()
    record_property("kills of a web worker under runs", points(KILLS))


def one_kill(
    service: Service, clients: list[WebClient], pool: ThreadPoolExecutor, dice: random.Random, *, whole: bool
) -> None:
    """Let all work, and kill at a random moment."""
    over = threading.Event()
    works = [pool.submit(client.work, over) for client in clients]
    time.sleep(dice.uniform(0.02, LONGEST))
    if whole:
        service.kill()
    else:
        service.kill_worker(dice)
    over.set()
    for work in works:
        work.result(WITHIN)
    if whole:
        service.start()


def finish(front: Front) -> None:
    """Bring every run to its end; what nobody acknowledged is a run like others."""
    for run in front.unended():
        while (run := front.settled(run)).status is Status.WAITING:
            assert front.post(run, "hold", "decline") == 202
        assert run.status.ended, run


def check(front: Front, acknowledged: Acknowledged) -> None:
    """The run is there, was answered as it was said to be, and ended as it had to."""
    run = found(front, acknowledged.place)
    outcomes = [held.outcome for held in front.world.code.runs.reader.holds(run.key)]
    # One that was sent when the worker died may have been done as well.
    assert is_within(acknowledged.answers, outcomes), (acknowledged, outcomes)
    if "declined" in outcomes:
        assert run.status is Status.CANCELED, run
    elif run.status is Status.CANCELED:
        assert acknowledged.canceled or front.log(run)[-1] == "The run was canceled.", run
    else:
        assert run.status is Status.SUCCESS, front.log(run)


def is_within(few: list[str], many: list[str | None]) -> bool:
    """Whether the few are among the many, in this order."""
    rest = iter(many)
    return all(one in rest for one in few)


def found(front: Front, place: str) -> Run:
    """The run at a path of the API."""
    answer = front.ask("GET", f"{place}/status")
    assert answer.status == 200, f"{place} is lost: {answer}"
    key = front.live_world.database.rows("SELECT key FROM run WHERE id = ?", place.rpartition("/")[2])
    run = front.world.code.runs.reader.by_key(key[0][0])
    assert run is not None
    return run
