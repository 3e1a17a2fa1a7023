"""Hosts whose cable is cut: a web server says 503, a runner stops its containers and another one goes on."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.handlers.processes.hosts.sleepers import RECIPE, sleepers
from tests.kit.clocks import until
from tests.kit.hosts.cabled import CabledHost, cabled_hosts
from tests.kit.postgres import Postgres

# Namespaces are made by root with iproute2, which Podman's networks need too.
pytestmark = [pytest.mark.repeats, pytest.mark.podman, pytest.mark.postgres]

DOC, JOB = "/v1/vis/docs/birds", "/v1/code/jobs/slow"
LEASE, LINK_IS_LOST = 10.0, 25.0


@pytest.fixture
def hosts(tmp_path: Path, postgres: Postgres, request: pytest.FixtureRequest) -> Iterator[list[CabledHost]]:
    with cabled_hosts(tmp_path, postgres, registry=request.param) as hosts:
        yield hosts


@pytest.mark.parametrize("hosts", [False], indirect=True, ids=["without a registry"])
def test_a_web_server_that_is_cut_off_says_so_and_is_right_again_afterwards(hosts: list[CabledHost]) -> None:
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
        status, said = one.ask(method, path, alice, body)
        assert (status, json.loads(said)["status"]) == (503, 503), (method, path, status, said)
    assert time.monotonic() - began < LINK_IS_LOST * 3
    other.asks("POST", f"{DOC}/content", alice, "meanwhile")
    one.cable.repair()
    status = until(lambda: one.ask("GET", f"{DOC}/content", alice), lambda said: said[0] == 200)
    assert status == (200, "meanwhile")
    names = {row["name"] for row in json.loads(one.ask("GET", "/v1/vis/docs?format=json", alice)[1])}
    assert "lost" not in names
    assert [line for line in one.log.read_text().splitlines() if '"status":500' in line] == []


@pytest.mark.parametrize("hosts", [True], indirect=True, ids=["with a registry"])
def test_a_runner_that_is_cut_off_stops_its_steps_and_another_one_goes_on(
    hosts: list[CabledHost], tmp_path: Path
) -> None:
    one, other = hosts
    alice = other.server.add("alice")
    with ExitStack() as stack:
        stack.enter_context(one.program("runner"))
        assert other.build("alice", "steps", RECIPE, tmp_path / "work") == "ready"
        other.asks("PUT", JOB, alice)
        other.asks("POST", f"{JOB}/config/chains", alice, "steps")
        run = other.trigger(JOB, alice, "long")
        assert until(sleepers, bool, 60), other.asks("GET", f"{JOB}/runs/{run}/log", alice)
        stack.enter_context(other.program("runner"))
        one.cable.cut()
        began = time.monotonic()
        assert until(sleepers, lambda found: not found, 2 * LEASE + LINK_IS_LOST) == []
        stopped = time.monotonic() - began
        assert LEASE / 2 < stopped < LEASE + 8, stopped
        assert other.end_of(JOB, run, alice) == "failed"
        assert "trigger" in other.asks("GET", f"{JOB}/runs/{run}/log", alice)
        again = other.trigger(JOB, alice, "short")
        assert other.end_of(JOB, again, alice) == "success"
        one.cable.repair()
        assert sleepers() == []
    # It is alive, and takes up work when it is alone.
    with one.program("runner"):
        third = other.trigger(JOB, alice, "short")
        assert other.end_of(JOB, third, alice) == "success"
