"""A host with a different key or clock than the others does not begin, and says what to do."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from handlers.processes.world import build, open_world
from tests.kit.clocks import AheadClock
from tests.kit.hosts.forked import forked
from tests.kit.hosts.shared import settings_at, shared_parts
from tests.kit.postgres import Postgres
from tests.kit.processes import own
from tests.kit.sources import ROOT
from vfs.errors import Unavailable

pytestmark = pytest.mark.postgres

REFUSED_WITHIN = 120.0
JUMPING = (sys.executable, "-P", str(ROOT / "tests/durability/faults/jumping_clock.py"))


@pytest.fixture
def shared(tmp_path: Path, postgres: Postgres) -> Iterator[dict[str, str]]:
    """The settings of several hosts; the first one was started before."""
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


def test_a_host_without_the_rotated_key_does_not_begin(shared: dict[str, str], tmp_path: Path) -> None:
    missed = tmp_path / "missed key"
    missed.write_bytes(Path(shared["KEY_FILE"]).read_bytes())
    done = subprocess.run(
        [sys.executable, "-m", "handlers", "key", "rotate"],
        env={**os.environ, **own({**shared, "DATA": str(tmp_path / "one")})},
        capture_output=True,
        text=True,
        check=True,
    )
    assert f"copy {shared['KEY_FILE']} to the other hosts" in done.stdout
    with open_world(settings_at(tmp_path / "one", shared)):
        pass
    settings = settings_at(tmp_path / "two", shared, KEY_FILE=str(missed))
    with pytest.raises(Unavailable, match="has another key than the other hosts"), open_world(settings):
        pass


def test_a_host_whose_clock_is_two_minutes_ahead_does_not_begin(
    shared: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "ahead").write_text("120")
    data = {"DATA": str(tmp_path / "two"), "BIND": "127.0.0.1:0"}
    done = subprocess.run(
        JUMPING, env={**os.environ, **own({**shared, **data})}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert re.search(r"the clock of this host is 1[12]\d s ahead of that of the database", done.stderr)
    assert "Have both set by NTP" in done.stderr


def test_a_clock_that_is_set_wrong_later_takes_no_runner_for_lost(
    shared: dict[str, str], tmp_path: Path
) -> None:
    right, wrong = AheadClock(), AheadClock()
    worlds = [build(settings_at(tmp_path / "one", shared), clock) for clock in (right, wrong)]
    leases = [live_world.world.code.runs.leases for live_world in worlds]
    try:
        leases[0].enlist("right", "here", 10)
        wrong.forward(minutes=10)
        assert leases[1].is_alive("right")
        leases[1].enlist("wrong", "there", 10)
        wrong.forward(minutes=-20)
        assert leases[1].heartbeat("wrong", 10)
        for each in leases:
            assert [worker.name for worker in each.workers()] == ["right", "wrong"]
    finally:
        for live_world in worlds:
            live_world.close()
