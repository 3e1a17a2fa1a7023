"""A runner that stands still for longer than its lease: another settles its run, nothing is done twice."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.handlers.processes.hosts.sleepers import RECIPE, sleepers
from tests.kit.clocks import until
from tests.kit.hosts.cabled import CabledHost, cabled_hosts
from tests.kit.postgres import Postgres

# Namespaces are made by root with iproute2, which Podman's networks need too.
pytestmark = [pytest.mark.repeats, pytest.mark.podman, pytest.mark.postgres, pytest.mark.timeout(600)]

JOB = "/v1/code/jobs/slow"


@pytest.fixture
def hosts(tmp_path: Path, postgres: Postgres) -> Iterator[list[CabledHost]]:
    with cabled_hosts(tmp_path, postgres, registry=True) as hosts:
        yield hosts


def test_a_runner_that_wakes_after_its_lease_stops_its_steps_and_says_nothing_more_of_them(
    hosts: list[CabledHost], tmp_path: Path
) -> None:
    one, other = hosts
    alice = other.server.add("alice")
    with one.program("runner") as paused:
        assert other.build("alice", "steps", RECIPE, tmp_path / "work") == "ready"
        other.asks("PUT", JOB, alice)
        other.asks("POST", f"{JOB}/config/chains", alice, "steps")
        lost = other.trigger(JOB, alice, "long")
        assert len(until(sleepers, bool, 60)) == 1
        os.kill(paused.pid, signal.SIGSTOP)
        try:
            with other.program("runner"):
                assert other.end_of(JOB, lost, alice) == "failed"
                told = other.asks("GET", f"{JOB}/runs/{lost}/log", alice)
                assert "trigger" in told
                again = other.trigger(JOB, alice, "short")
                assert other.end_of(JOB, again, alice) == "success"
                assert len(sleepers()) == 1
        finally:
            os.kill(paused.pid, signal.SIGCONT)
        assert until(sleepers, lambda found: not found, 30) == []
        # It works again, under a new lease.
        third = other.trigger(JOB, alice, "third")
        assert other.end_of(JOB, third, alice) == "success"
        assert other.asks("GET", f"{JOB}/runs/{third}/output", alice) == '"third"'
        assert other.status_of(JOB, lost, alice) == "failed"
        assert other.asks("GET", f"{JOB}/runs/{lost}/log", alice) == told
        assert other.ask("GET", f"{JOB}/runs/{lost}/output", alice) == (204, "")
