"""Values of config/env and credentials of runs: seen by steps, on no disk, and nowhere after the run."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.kit.command import Service
from tests.kit.disk.traces import Trace, fresh_mark, traces
from tests.kit.processes import free_port, own, running, tree

pytestmark = [pytest.mark.podman, pytest.mark.timeout(600)]

JOB = "/v1/code/jobs/night"
SECONDS = 120.0
TIME_LIMIT = "45"
PROGRAM = """
import hashlib, os, subprocess, sys, time
names = sorted(name for name in os.environ if name.startswith(("S_", "SVC_TOKEN")))
for name in names:
    seen = os.environb[name.encode()]
    echoed = subprocess.run(["sh", "-c", 'printf %s "$' + name + '"'], capture_output=True).stdout
    print("saw", name, hashlib.sha256(seen).hexdigest(), seen == echoed, flush=True)
print(os.environ["S_QUOTES"], os.environ["S_LINES"], flush=True)
print("ready", flush=True)
mode = os.environ["MODE"]
open("/output/mode", "w").write(mode)
if mode == "sleep":
    time.sleep(100)
sys.exit(3 if mode == "fail" else 0)
"""


@dataclass
class Secrets:
    """Unusual values; each of their lines has a mark by which it is found in any file."""

    marks: list[str] = field(default_factory=lambda: [fresh_mark()])
    values: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.values = {
            "S_LONG": "".join(self._mark() for _ in range(300)),
            "S_LINES": f"{self._mark()}\n{self._mark()}\n\n {self._mark()} ",
            "S_QUOTES": f'it\'s "{self._mark()}" `id` $HOME \\n \\ {self._mark()}',
            "S_SIGNS": f"schlüssel-☃-{self._mark()}-鍵\t%20&+/",
            "S_EQUALS": f"a=b=={self._mark()}==",
            "S_JSON": json.dumps({"key": self._mark(), "other": ["\x7f", self._mark()]}),
        }

    def _mark(self) -> str:
        return self.marks[0] + secrets.token_hex(4)


@contextmanager
def served(folder: Path, port: int) -> Iterator[Service]:
    """`curlew serve` on a folder, fresh or not."""
    settings = {
        "DATA": str(folder),
        "BIND": f"127.0.0.1:{port}",
        "GRACEFUL_TIMEOUT": "1",
        "STEP_SECONDS": TIME_LIMIT,
        "STOP_GRACE": "0.5",
        "BASE_IMAGE": "",
    }
    log = folder.with_name(f"log-{port}")
    with running("handlers", "serve", port=port, log=log, **own(settings)) as pid:
        service = Service(folder, port, pid)
        until = time.monotonic() + SECONDS
        while "ready\n" not in log.read_text():
            assert time.monotonic() < until, log.read_text()
            time.sleep(0.05)
        try:
            yield service
        finally:
            service.close()


@dataclass
class Night:
    """A job with secrets, and the traces that they leave."""

    service: Service
    token: str
    secrets: Secrets
    began: float

    def left(self) -> list[Trace]:
        """The files that hold a value."""
        return traces(self.secrets.marks, [self.service.folder.parent], self.began)

    def order(self, mode: str) -> str:
        """A run that goes on in this mode."""
        self.service.want("POST", f"{JOB}/config/env/MODE", self.token, mode.encode())
        head = {"Prefer": "respond-async"}
        body = b"{}"
        answer = self.service.want("POST", f"{JOB}/data", self.token, body, "application/json", **head)
        return str(json.loads(answer)["run"])

    def says(self, run: str, word: str) -> list[str]:
        """The lines of a run once one of them holds a word."""
        until = time.monotonic() + SECONDS
        while True:
            lines = self.service.want("GET", f"{JOB}/runs/{run}/log", self.token).decode().splitlines()
            if any(word in line for line in lines):
                return lines
            assert time.monotonic() < until, lines
            time.sleep(0.1)

    def ends(self, run: str) -> str:
        """Wait for the end of a run, and return its status."""
        until = time.monotonic() + SECONDS
        while True:
            status = self.service.want("GET", f"{JOB}/runs/{run}/status", self.token).decode()
            if status in ("success", "failed", "canceled"):
                return status
            assert time.monotonic() < until, status
            time.sleep(0.1)

    def nothing_is_left(self) -> None:
        """Return when no file holds a value any more, be it in memory; containers go soon after their run."""
        until = time.monotonic() + 20
        while left := self.left():
            assert time.monotonic() < until, left
            time.sleep(0.5)

    def note_credential(self) -> str:
        """The credential of the run whose step sleeps, read from its process; it is a mark from now on."""
        for file in Path("/proc").glob("[0-9]*/environ"):
            with suppress(OSError):
                content = file.read_bytes()
                if self.secrets.marks[0].encode() in content:
                    words = dict(word.split(b"=", 1) for word in content.split(b"\0") if b"=" in word)
                    token = words[b"SVC_TOKEN"].decode()
                    self.secrets.marks.append(token)
                    return token
        raise AssertionError("no process has the secrets")


@pytest.fixture(scope="module")
def night(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Night]:
    began = time.time()
    folder = tmp_path_factory.mktemp("rest") / "data"
    folder.mkdir()
    with served(folder, free_port()) as service:
        token = service.user("alice")
        recipe = (
            f"FROM python:3-slim\nRUN env > /env.txt; true\nCMD {json.dumps(['python3', '-c', PROGRAM])}\n"
        )
        night = Night(service, token, Secrets(), began)
        service.want("PUT", JOB, token)
        for name, value in night.secrets.values.items():
            service.want("POST", f"{JOB}/config/env/{name}", token, value.encode())
        # Built while the job has its secrets.
        service.push("alice", token, "looks", recipe)
        service.want("POST", f"{JOB}/config/chains", token, b"looks")
        service.want("POST", f"{JOB}/config/access", token, b"repo_ro")
        yield night


def test_stored_values_are_nowhere_in_clear_text(night: Night) -> None:
    assert night.left() == []


@pytest.mark.parametrize(("mode", "how"), [("ok", "success"), ("fail", "failed")])
def test_steps_see_them_and_nothing_is_left(night: Night, mode: str, how: str) -> None:
    run = night.order(mode)
    assert night.ends(run) == how
    lines = night.says(run, "ready")
    for name, value in night.secrets.values.items():
        digest = hashlib.sha256(value.encode()).hexdigest()
        assert f"looks: saw {name} {digest} True" in lines
    assert any(line.startswith("looks: saw SVC_TOKEN ") for line in lines)
    night.nothing_is_left()


@pytest.mark.parametrize(("end", "how"), [("cancel", "canceled"), ("wait", "failed")])
def test_while_a_step_runs_they_are_in_memory_alone(night: Night, end: str, how: str) -> None:
    run = night.order("sleep")
    night.says(run, "ready")
    night.note_credential()
    assert [one for one in night.left() if not one.in_memory] == []
    if end == "cancel":
        night.service.want("POST", f"{JOB}/runs/{run}/status", night.token, b"canceled")
    assert night.ends(run) == how
    night.nothing_is_left()


def test_a_service_that_was_killed_leaves_nothing_once_it_is_back(night: Night) -> None:
    run = night.order("sleep")
    night.says(run, "ready")
    night.note_credential()
    for process in tree(night.service.pid):
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
    assert [one for one in night.left() if not one.in_memory] == []
    with served(night.service.folder, free_port()) as service:
        again = Night(service, night.token, night.secrets, night.began)
        assert again.ends(run) in ("failed", "canceled")
        again.nothing_is_left()
        last = again.order("ok")
        assert again.ends(last) == "success"
        again.nothing_is_left()
