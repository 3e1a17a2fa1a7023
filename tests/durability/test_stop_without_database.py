"""A runner that is stopped while PostgreSQL is away ends, and the next one records what it could not."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.request import Request, urlopen

import pytest

from tests.kit.clocks import until
from tests.kit.postgres import Postgres
from tests.kit.server import RUNNER, Server, add_image, environment, web
from tests.kit.world import migrate

pytestmark = [pytest.mark.soak, pytest.mark.postgres]

JOB = "code/jobs/letter"
STEP = {"ECHO": "on", "SLEEP": "3", "WRITE": "x=1"}
STOPS_WITHIN = 30.0
"""What deploy/curlew-runner.service gives it (TimeoutStopSec)."""


@pytest.fixture
def postgres_of_its_own() -> Iterator[Postgres]:
    server = Postgres(durable=True)
    yield server
    server.stop()


@contextmanager
def runner(folder: Path) -> Iterator[subprocess.Popen[str]]:
    """A runner of scripted steps, killed at the end if it has not ended."""
    words = [sys.executable, "-P", str(RUNNER), str(folder)]
    with (
        (folder / "runner.log").open("a") as log,
        subprocess.Popen(words, env=environment(), stderr=log, text=True) as process,
    ):
        try:
            yield process
        finally:
            process.kill()


def trigger(server: Server) -> str:
    request = Request(f"{server.root}{JOB}/data", b"{}", method="POST")
    for name, word in (
        ("Authorization", f"Bearer {server.tokens['alice']}"),
        ("Content-Type", "application/json"),
        ("Accept", "application/json"),
        ("Prefer", "respond-async"),
    ):
        request.add_header(name, word)
    with urlopen(request) as answer:
        return str(json.load(answer)["run"])


def seen(server: Server, run: str, file: str) -> str:
    return str(server.ask("GET", f"{JOB}/runs/{run}/{file}", who="alice"))


def test_a_runner_ends_while_the_database_is_away_and_its_run_is_settled_by_the_next(
    postgres_of_its_own: Postgres, tmp_path: Path
) -> None:
    postgres = postgres_of_its_own
    url = postgres.fresh()
    migrate(url)
    (tmp_path / "curlew.toml").write_text(f'database_url = "{url}"\nregistration = "open"\n')
    (tmp_path / "scripted-images.json").write_text(json.dumps({"image": STEP}))
    with web(tmp_path) as server:
        server.add("alice")
        add_image(tmp_path, url)
        server.ask("PUT", JOB, who="alice")
        server.ask("POST", f"{JOB}/config/chains", b"count", who="alice")
        with runner(tmp_path) as first:
            run = trigger(server)
            assert until(lambda: seen(server, run, "log"), lambda log: "count: on" in log, 60)
            postgres.crash()
            time.sleep(float(STEP["SLEEP"]) + 2)
            assert first.poll() is None
            first.send_signal(signal.SIGTERM)
            began = time.monotonic()
            assert first.wait(2 * STOPS_WITHIN) == 0, (tmp_path / "runner.log").read_text()
            assert time.monotonic() - began < STOPS_WITHIN
        said = (tmp_path / "runner.log").read_text()
        assert "is not written: the next runner settles it" in said
        postgres.restart()
        with runner(tmp_path):
            assert until(lambda: seen(server, run, "status"), lambda status: status == "failed", 60)
            assert "trigger it again with the same input" in seen(server, run, "log")
            again = trigger(server)
            ended = until(lambda: seen(server, again, "status"), lambda said: said == "success", 60)
            assert ended == "success"
            assert seen(server, again, "output") == "1"
