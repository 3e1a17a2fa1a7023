"""Tokens on a clock that is set back: what has expired stays so, over restarts too (reliability R-30)."""

from __future__ import annotations

from pathlib import Path

import orjson
import pytest

from handlers.processes.web import application
from handlers.processes.world import build
from handlers.settings.settings import Settings
from tests.kit.client import call
from tests.kit.suites.kernel import StillClock
from vfs.ports.people import Account

HOUR, PASSWORD = 3600.0, "correct horse"


class Service:
    """The service on a data folder, started as often as one likes."""

    def __init__(self, folder: Path, url: str) -> None:
        self.settings = Settings(data=str(folder), database_url=url, password_memory=8, password_time=1)
        self.clock = StillClock()
        self.start()
        world = self.live_world.world
        world.people.users.add(
            "ann", world.people.passwords.digest(PASSWORD), Account.REGULAR, None, public=False
        )

    def start(self) -> None:
        self.live_world = build(self.settings, self.clock)
        self.app = application(self.settings, self.live_world)

    def restart(self) -> None:
        self.live_world.close()
        self.start()

    def mint(self, **fields: object) -> str:
        sent = orjson.dumps({"username": "ann", "password": PASSWORD, **fields})
        answer = call(self.app, "POST", "/v1/token", [("Content-Type", "application/json")], sent)
        assert answer.status == 201
        value: str = orjson.loads(answer.body)["token"]
        return value

    def get(self, path: str, token: str) -> tuple[int, str]:
        answer = call(self.app, "GET", path, [("Authorization", f"Bearer {token}")])
        return answer.status, answer.body.decode()


def test_a_token_that_expired_is_not_revived(tmp_path: Path, database_url: str) -> None:
    service = Service(tmp_path, database_url)
    whole, brief = service.mint(), service.mint(token_name="brief", expires_in=60)
    assert service.get("/v1/whoami", brief)[0] == 200
    service.clock.forward(HOUR)
    assert service.get("/v1/whoami", whole)[0] == 200
    service.clock.forward(-HOUR)
    for _ in range(2):
        assert service.get("/v1/whoami", brief)[0] == 401
        assert "Expired: Yes" in service.get("/v1/admin/tokens/brief/info", whole)[1]
        service.restart()
    assert service.get("/v1/whoami", service.mint(expires_in=60))[0] == 200
    service.live_world.close()


@pytest.mark.parametrize("seconds", [4.0, 0.0])
def test_a_clock_that_is_corrected_by_little_ends_nothing(
    tmp_path: Path, database_url: str, seconds: float
) -> None:
    service = Service(tmp_path, database_url)
    brief = service.mint(expires_in=60)
    service.clock.forward(58.0 + seconds)
    service.get("/v1/whoami", brief)
    service.clock.forward(-seconds)
    assert service.get("/v1/whoami", brief)[0] == 200
    service.live_world.close()
