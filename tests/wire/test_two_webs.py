"""Plays some transcripts against two web servers behind nginx, which asks them in turn."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from handlers.processes.world import House, build
from handlers.settings.settings import Settings
from tests.kit.client import Answer
from tests.kit.clocks import AheadClock
from tests.kit.counting import amount
from tests.kit.hosts.shared import settings_at, shared_parts
from tests.kit.hosts.webs import PortClient, Webs, two_webs
from tests.kit.postgres import Postgres
from tests.kit.service import Application, WatchedEngine, running, with_fake_renderer
from tests.kit.world import migrate
from tests.wire.player import play
from tests.wire.transcript import Request, Scenario, Setting, scenarios

pytestmark = [pytest.mark.soak, pytest.mark.sampled, pytest.mark.postgres, pytest.mark.timeout(900)]

SCENARIOS = 2
WIRE = Path(__file__).parent
SAID = {"MAIL_DOMAIN": "mail.example", "STOP_GRACE": "0.3"}
OF_THIS_PROCESS, NUL = {"later"}, "%00"


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


def test_transcripts_are_answered_as_by_one(
    postgres: Postgres, tmp_path: Path, record_property: amount.Counted
) -> None:
    for number, scenario in enumerate(chosen()):
        folder = tmp_path / str(number)
        folder.mkdir()
        with shared_parts(folder, postgres, migrate) as shared, two_webs(folder, shared | SAID) as webs:
            played(scenario, webs)
    record_property("transcripts over two webs", amount.points(SCENARIOS))
