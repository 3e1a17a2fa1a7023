"""Hosts whose cable is cut: a web server says 503, a runner stops its containers and another one goes on."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from chains.podman.leftovers import unmount
from tests.kit.clocks import until
from tests.kit.hosts.cables import PORT, Cable, at_store, cables
from tests.kit.hosts.shared import shared_parts
from tests.kit.postgres import Postgres
from tests.kit.server import Server

# Namespaces are made by root with iproute2, which Podman's networks need too.
pytestmark = [pytest.mark.sampled, pytest.mark.podman, pytest.mark.postgres]

DOC, JOB, REPO = "/v1/vis/docs/birds", "/v1/code/jobs/slow", "/v1/code/repos/steps"
ENDS = ("ready", "failed")
LEASE, LINK_IS_LOST = 10.0, 25.0
SLEEPS = 4177
"""Seconds that a step sleeps; nothing else on this machine sleeps as long."""

SCRIPT = f"if grep -q long /input/*; then exec sleep {SLEEPS}; fi; cp /input/* /output/"
RECIPE = f"FROM localhost/busybox:latest\nCMD {json.dumps(['sh', '-c', SCRIPT])}\n"


class Host:
    """A host with its web server, and a runner while it is wanted."""

    def __init__(self, cable: Cable, folder: Path, shared: dict[str, str], stack: ExitStack) -> None:
        self.cable, self.folder = cable, folder
        folder.mkdir()
        stack.callback(unmount, folder)
        origin = f"http://{cable.address}:{PORT}"
        own = {"DATA": str(folder), "BIND": f"0.0.0.0:{PORT}", "BASE_URL": origin, "REGISTRATION": "open"}
        self.settings = {**shared, **own, "WORKERS": "1", "NETWORK": "none", "STOP_GRACE": "1"}
        self.log = folder.with_suffix(".log")
        stack.enter_context(cable.program("web", self.log, self.settings))
        self.server = Server(folder, 0)
        self.server.origin, self.server.root = origin, f"{origin}/v1/"

    def asks(self, method: str, path: str, token: str, body: str = "", *more: str) -> str:
        """A good answer to somebody on this host; `more` are a media type and heads."""
        status, said = self.cable.ask(method, path, token, body, *more)
        assert status < 300, (method, path, status, said)
        return said


@pytest.fixture
def hosts(tmp_path: Path, postgres: Postgres, request: pytest.FixtureRequest) -> Iterator[list[Host]]:
    with ExitStack() as stack:
        laid = stack.enter_context(cables(2))
        parts = stack.enter_context(shared_parts(tmp_path, postgres, registry=request.param))
        shared = stack.enter_context(at_store(parts))
        yield [
            Host(cable, tmp_path / name, shared, stack)
            for cable, name in zip(laid, ("one", "other"), strict=True)
        ]


@pytest.mark.parametrize("hosts", [False], indirect=True, ids=["without a registry"])
def test_a_web_server_that_is_cut_off_says_so_and_is_right_again_afterwards(hosts: list[Host]) -> None:
    one, other = hosts
    alice = one.server.add("alice")
    one.asks("PUT", DOC, alice)
    one.asks("POST", f"{DOC}/content", alice, "before")
    assert other.asks("GET", f"{DOC}/content", alice) == "before"
    one.cable.cut()
    began = time.monotonic()
    acts = [
        ("GET", f"{DOC}/content", ""),
        ("POST", f"{DOC}/content", "lost"),
        ("PUT", "/v1/vis/docs/lost", ""),
    ]
    acts += [("GET", f"{DOC}/summary", ""), ("GET", "/v1/vis/docs", ""), ("DELETE", DOC, "")]
    for method, path, body in acts:
        status, said = one.cable.ask(method, path, alice, body)
        assert (status, json.loads(said)["status"]) == (503, 503), (method, path, status, said)
    assert time.monotonic() - began < LINK_IS_LOST * 3
    other.asks("POST", f"{DOC}/content", alice, "meanwhile")
    one.cable.mend()
    status = until(lambda: one.cable.ask("GET", f"{DOC}/content", alice), lambda said: said[0] == 200)
    assert status == (200, "meanwhile")
    names = {row["name"] for row in json.loads(one.cable.ask("GET", "/v1/vis/docs?format=json", alice)[1])}
    assert "lost" not in names
    assert [line for line in one.log.read_text().splitlines() if '"status":500' in line] == []


@pytest.mark.parametrize("hosts", [True], indirect=True, ids=["with a registry"])
def test_a_runner_that_is_cut_off_stops_its_steps_and_another_one_goes_on(
    hosts: list[Host], tmp_path: Path
) -> None:
    one, other = hosts
    alice = other.server.add("alice")
    with ExitStack() as stack:
        stack.enter_context(one.cable.program("runner", one.log, one.settings))
        other.asks("PUT", REPO, alice)
        other.server.push("alice", "steps", {"Dockerfile": RECIPE}, tmp_path / "work")
        built = until(lambda: other.asks("GET", f"{REPO}/status", alice), lambda said: said in ENDS)
        assert built == "ready", other.asks("GET", f"{REPO}/log", alice)
        other.asks("PUT", JOB, alice)
        other.asks("POST", f"{JOB}/config/chains", alice, "steps")
        run = trigger(other, alice, "long")
        assert until(sleepers, bool, 60), other.asks("GET", f"{JOB}/runs/{run}/log", alice)
        stack.enter_context(other.cable.program("runner", other.log, other.settings))
        one.cable.cut()
        began = time.monotonic()
        assert until(sleepers, lambda found: not found, 2 * LEASE + LINK_IS_LOST) == []
        stopped = time.monotonic() - began
        assert LEASE / 2 < stopped < LEASE + 8, stopped
        status = until(lambda: status_of(other, run, alice), lambda said: said != "processing", 60)
        assert status == "failed"
        assert "trigger" in other.asks("GET", f"{JOB}/runs/{run}/log", alice)
        again = trigger(other, alice, "short")
        assert until(lambda: status_of(other, again, alice), lambda said: said == "success") == "success"
        one.cable.mend()
        assert sleepers() == []
    # It is alive, and takes up work when it is alone.
    with one.cable.program("runner", one.log, one.settings):
        third = trigger(other, alice, "short")
        assert until(lambda: status_of(other, third, alice), lambda said: said == "success") == "success"


def trigger(host: Host, token: str, word: str) -> str:
    told = host.asks("POST", f"{JOB}/data", token, f'"{word}"', "application/json", "Prefer: respond-async")
    return str(json.loads(told)["run"])


def status_of(host: Host, run: str, token: str) -> str:
    return host.asks("GET", f"{JOB}/runs/{run}/status", token)


def sleepers() -> list[int]:
    """The processes of the step that sleeps so long."""
    wanted = b"sleep\0%d\0" % SLEEPS
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if path.read_bytes() == wanted:
                found.append(int(path.parent.name))
        except OSError:
            continue
    return found
