"""A host with the key or the time of nobody else does not begin, and says what to do."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from handlers.processes.database import WallClock
from handlers.processes.world import open_world
from tests.kit.hosts.forked import forked
from tests.kit.hosts.shared import settings_at, shared_parts
from tests.kit.postgres import Postgres
from tests.kit.processes import own
from vfs.errors import Unavailable

pytestmark = pytest.mark.postgres

REFUSED_WITHIN = 120.0


@pytest.fixture
def shared(tmp_path: Path, postgres: Postgres) -> Iterator[dict[str, str]]:
    """The settings of hosts one of which has begun."""
    with shared_parts(tmp_path, postgres, blobs=f"osfs://{tmp_path}/blobs") as shared:
        with open_world(settings_at(tmp_path / "one", shared)):
            pass
        yield shared


@pytest.mark.parametrize("command", ["web", "runner"])
def test_a_host_without_the_key_of_the_others_does_not_begin(
    shared: dict[str, str], command: str, tmp_path: Path
) -> None:
    key = tmp_path / "own key"
    data = {"DATA": str(tmp_path / "two"), "KEY_FILE": str(key), "BIND": "127.0.0.1:0"}
    said = {**shared, **data, "RUNNER_FOLDER": str(tmp_path / "runner")}
    with forked(command, log := tmp_path / "log", own(said)) as process:
        process.join(REFUSED_WITHIN)
        assert process.exitcode == 1, log.read_text()
    assert f"there is no key at {key}, where key_file leads" in log.read_text()
    assert not key.exists()


def test_a_host_whose_clock_is_two_minutes_ahead_does_not_begin(
    shared: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(WallClock, "now", lambda self: datetime.now(UTC) + timedelta(minutes=2))
    settings = settings_at(tmp_path / "two", shared)
    with pytest.raises(Unavailable, match="ahead of that of the database"), open_world(settings):
        pass
