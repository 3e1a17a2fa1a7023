"""Two web servers and two runners over one database, bucket, registry and folder of repositories."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from chains.podman.leftovers import unmount
from tests.kit.command import Service
from tests.kit.hosts.shared import shared_parts
from tests.kit.postgres import Postgres
from tests.kit.processes import free_port, own, running, tree

pytestmark = [pytest.mark.podman, pytest.mark.postgres]

SECONDS = 180.0
JOB = "/v1/code/jobs/letter"
COPIES = 'FROM localhost/busybox:latest\nCMD ["cp", "-r", "/input/.", "/output"]\n'


class Host:
    """A host of its own: a data folder with a runner's, a web server, and a runner while it is wanted."""

    def __init__(self, folder: Path, shared: dict[str, str], stack: ExitStack) -> None:
        self.folder = folder
        port = free_port()
        self._settings = own({**shared, "DATA": str(folder), "BIND": f"127.0.0.1:{port}"})
        self._log = folder.with_suffix(".log")
        folder.mkdir()
        stack.callback(unmount, folder)
        web = running("handlers", "web", port=port, log=self._log, **self._settings)
        self.web = Service(folder, port, stack.enter_context(web))
        stack.callback(self.web.close)

    @contextmanager
    def working(self) -> Iterator[subprocess.Popen[bytes]]:
        """Have a runner; one that was killed meanwhile is gone with all that it started."""
        with self._log.open("ab") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", "handlers", "runner"],
                env={**os.environ, **self._settings},
                stdout=log,
                stderr=log,
            )
            try:
                yield process
            finally:
                process.terminate()
                process.wait(SECONDS)

    def user(self, name: str) -> str:
        command = [sys.executable, "-m", "handlers", "user", "add", name, "--token", "test"]
        environ = {**os.environ, **self._settings}
        return subprocess.run(command, env=environ, capture_output=True, text=True, check=True).stdout.strip()

    def runs(self) -> list[str]:
        return sorted(path.name for path in (self.folder / "runs").glob("run-*"))

    def becomes(self, run: str, token: str, wanted: bytes) -> None:
        until, address = time.monotonic() + SECONDS, f"{JOB}/runs/{run}"
        while (status := self.web.want("GET", f"{address}/status", token)) != wanted:
            assert status != b"failed", self.web.want("GET", f"{address}/log", token).decode()
            assert time.monotonic() < until, status
            time.sleep(0.05)


@pytest.fixture
def shared(tmp_path: Path, postgres: Postgres) -> Iterator[dict[str, str]]:
    """What the hosts share, as settings."""
    with shared_parts(tmp_path, postgres, registry=True) as said:
        yield {**said, "NETWORK": "none", "WORKERS": "1"}


def kill(runner: subprocess.Popen[bytes]) -> None:
    """Kill a runner and all that it started, as the end of its host does."""
    for pid in reversed(tree(runner.pid)):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    runner.wait(SECONDS)


def trigger(host: Host, token: str) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(
        host.web.want("POST", f"{JOB}/data", token, b'"sent"', "application/json", Prefer="respond-async")
    )
    return told


@pytest.mark.repeats
def test_one_host_is_lost_and_the_other_goes_on(shared: dict[str, str], tmp_path: Path) -> None:
    with ExitStack() as stack:
        one, other = (Host(tmp_path / name, shared, stack) for name in ("one", "other"))
        alice = one.user("alice")
        with one.working() as runner:
            one.web.push("alice", alice, "copies", COPIES)
            other.web.want("PUT", JOB, alice)
            chain = b"then <- copies\nlast <- copies\ncopies! -> then -> last"
            one.web.want("POST", f"{JOB}/config/chains", alice, chain)
            assert other.web.want("GET", f"{JOB}/config/chains", alice).strip() == chain
            held = trigger(other, alice)["run"]
            one.becomes(held, alice, b"waiting")
            assert (len(one.runs()), other.runs()) == (1, [])
            kill(runner)
        with other.working():
            for number in range(20):  # what one wrote is what the other reads
                one.web.want("POST", f"{JOB}/summary", alice, b"%d" % number)
                assert other.web.want("GET", f"{JOB}/summary", alice).strip() == b"%d" % number
            one.web.want("POST", f"{JOB}/runs/{held}/hold", alice, b"continue")
            other.becomes(held, alice, b"success")
            assert one.web.want("GET", f"{JOB}/runs/{held}/output", alice) == b'"sent"'
            one.web.want("POST", f"{JOB}/config/chains", alice, b"copies")
            again = trigger(one, alice)["run"]
            one.becomes(again, alice, b"success")
            assert other.web.want("GET", f"{JOB}/runs/{again}/output", alice) == b'"sent"'
