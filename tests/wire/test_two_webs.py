"""Plays the transcripts against two web servers behind nginx, which asks them in turn.

All but those in which the time moves on, which it does in one process alone, and one that is about callers
who come through no front. The bytes lie in a folder that both have, which costs less than a bucket; the walks
of tests/proof/hosts have one. `make test` plays some of them.
"""

from __future__ import annotations

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
from tests.wire.transcript import Scenario, Setting, scenarios

pytestmark = [pytest.mark.postgres, pytest.mark.timeout(300)]

LIMITS = ("signin_attempts", "signin_attempts_address", "signin_attempts_account")
WIRE = Path(__file__).parent
HOST = "localhost:8000"
SAID = {
    "BASE_URL": f"http://{HOST}",
    "MAIL_DOMAIN": "mail.example",
    "STOP_GRACE": "0.3",
    **{name.upper(): str(getattr(Settings(), name)) for name in LIMITS},
}
LATER, NUL = "later", "%00"
OF_ONE_HOST = {"authentication.txt::registration is for callers on this very host"}


class FrontedApplication(Application):
    """What transcripts are played against: requests go to the front, all else is arranged beside it."""

    def __init__(
        self, settings: Settings, house: House, clock: AheadClock, engine: WatchedEngine, webs: Webs
    ) -> None:
        super().__init__(settings, house, clock, engine)
        self._webs = webs

    def call(self, method: str, path: str, headers: Sequence[tuple[str, str]], body: bytes) -> Answer:
        # nginx refuses such a path itself.
        client = PortClient(self._webs.ports[0] if NUL in path else self._webs.port, HOST)
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
            play(scenario, FrontedApplication(settings, house, clock, engine, webs))
    finally:
        house.close()


def is_for_two(scenario: Scenario) -> bool:
    """Whether nothing in it is arranged in the process of the service, or is for whoever sits at it."""
    moves_time = any(isinstance(step, Setting) and step.word == LATER for step in scenario.steps)
    return not moves_time and str(scenario) not in OF_ONE_HOST


ALL = [one for file in sorted(WIRE.glob("*.txt")) for one in scenarios(file) if is_for_two(one)]


@pytest.mark.parametrize("scenario", ALL, ids=str)
def test_a_transcript_is_answered_as_by_one(
    scenario: Scenario, postgres: Postgres, tmp_path: Path, record_property: amount.Counted
) -> None:
    with (
        shared_parts(tmp_path, postgres, migrate, blobs=f"osfs://{tmp_path}/blobs") as shared,
        two_webs(tmp_path, shared | SAID) as webs,
    ):
        played(scenario, webs)
    record_property("transcripts over two webs", 1)
