"""Two web servers behind nginx over one database, bucket and folder of repositories are as one server."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest

from handlers.processes.world import House, build
from handlers.settings.settings import Settings
from tests.kit.client import Answer
from tests.kit.clocks import AheadClock
from tests.kit.counting import amount
from tests.kit.gunicorn import Client
from tests.kit.hosts.shared import settings_at, shared_parts
from tests.kit.hosts.webs import PortClient, Webs, two_webs
from tests.kit.postgres import Postgres
from tests.kit.server import Server
from tests.kit.service import Application, WatchedEngine, running, with_fake_renderer
from tests.kit.world import migrate
from tests.proof.hosts.stale import Person, Walker
from tests.proof.permissions.stand import asked, keep
from tests.proof.permissions.test_permissions import richest
from tests.wire.player import play
from tests.wire.transcript import Request, Scenario, Setting, scenarios

pytestmark = [pytest.mark.soak, pytest.mark.postgres, pytest.mark.timeout(900)]

COMPARISONS, STEPS, SCENARIOS = 300, 40, 2
PEOPLE = ("ann", "bob", "cat")
WIRE = Path(__file__).parents[2] / "wire"
SAID = {"MAIL_DOMAIN": "mail.example", "STOP_GRACE": "0.3"}
"""As tests/wire has it."""

OF_THIS_PROCESS, NUL = {"later"}, "%00"


@pytest.fixture
def shared(tmp_path: Path, postgres: Postgres) -> Iterator[dict[str, str]]:
    with shared_parts(tmp_path, postgres, migrate) as said:
        yield said


@pytest.mark.sampled
def test_the_permissions_are_those_of_the_oracle(
    shared: dict[str, str], tmp_path: Path, record_property: amount.Counted
) -> None:
    said = richest(amount.seed())
    tokens = keep(said, settings_at(tmp_path / "settled", shared))
    dice = random.Random(amount.seed())
    with two_webs(tmp_path, shared) as webs:
        with asked(said, tokens, lambda token: Client(webs.port, token)) as comparison:
            while comparison.made.total() < amount.points(COMPARISONS):
                found = list(comparison.some(dice, 20))
                assert not found, "\n".join(found)
        webs.require_turns()
    record_property("comparisons with the oracle of permissions over two webs", comparison.made.total())


def test_what_was_written_at_one_is_read_at_the_other(
    shared: dict[str, str], tmp_path: Path, record_property: amount.Counted
) -> None:
    with two_webs(tmp_path, shared) as webs:
        walkers = walkers_at(webs)
        with ExitStack() as stack, ThreadPoolExecutor(len(walkers)) as pool:
            for each in walkers:
                stack.callback(each.close)
            for done in [pool.submit(each.walk, amount.points(STEPS)) for each in walkers]:
                done.result()
    made = sum((each.made for each in walkers), Counter[str]())
    stale = [line for each in walkers for line in each.stale]
    assert not stale, f"{len(stale)} of {made['reads']}:\n" + "\n".join(stale[:20])
    assert made["writes"] >= amount.points(STEPS) * len(PEOPLE) // 2, made
    for what, number in made.items():
        record_property(f"{what} across two webs", number)


def walkers_at(webs: Webs) -> Sequence[Walker]:
    """People who write at once, each with another as a friend."""
    server = Server(webs.folder, webs.port)
    people = [Person(name, server.add(name), server.password(name)) for name in PEOPLE]
    ports = {"the front": webs.port, "one": webs.ports[0], "the other": webs.ports[1]}
    friends = zip(people, (*people[1:], people[0]), strict=True)
    return [Walker(*pair, ports, amount.seed() + number) for number, pair in enumerate(friends)]


class FrontedApplication(Application):
    """What transcripts are played against: requests go to the front, all else is arranged beside it."""

    def __init__(
        self, settings: Settings, house: House, clock: AheadClock, engine: WatchedEngine, port: int
    ) -> None:
        super().__init__(settings, house, clock, engine)
        self._port = port

    def call(self, method: str, path: str, headers: Sequence[tuple[str, str]], body: bytes) -> Answer:
        client = PortClient(self._port)
        try:
            return client.call(method, path, headers, body)
        finally:
            client.close()


def played(scenario: Scenario, webs: Webs) -> None:
    """Play a scenario against the front; its runner is in this process, on a third host."""
    settings, clock = settings_at(webs.folder / "beside", webs.shared), AheadClock()
    house = with_fake_renderer(build(settings, clock))
    try:
        with running(settings, house) as engine:
            play(scenario, FrontedApplication(settings, house, clock, engine, webs.port))
    finally:
        house.close()


def chosen() -> Sequence[Scenario]:
    """So many scenarios of all, by the seed."""
    every = [one for file in sorted(WIRE.glob("*.txt")) for one in scenarios(file) if is_for_two(one)]
    return random.Random(amount.seed()).sample(every, amount.points(SCENARIOS))


def is_for_two(scenario: Scenario) -> bool:
    """Whether nothing in it is arranged in the process of the service, or refused by nginx itself."""
    words = {step.word for step in scenario.steps if isinstance(step, Setting)}
    paths = [step.path for step in scenario.steps if isinstance(step, Request)]
    return not words & OF_THIS_PROCESS and not any(NUL in path for path in paths)


@pytest.mark.sampled
def test_transcripts_are_answered_as_by_one(
    postgres: Postgres, tmp_path: Path, record_property: amount.Counted
) -> None:
    for number, scenario in enumerate(chosen()):
        folder = tmp_path / str(number)
        folder.mkdir()
        with shared_parts(folder, postgres, migrate) as shared, two_webs(folder, shared | SAID) as webs:
            played(scenario, webs)
    record_property("transcripts over two webs", amount.points(SCENARIOS))
