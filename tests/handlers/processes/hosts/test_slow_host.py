"""A runner's host that is slow, and neither stands still nor is cut off: it keeps its runs, and ends them."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.handlers.processes.hosts.sleepers import PAUSES, RECIPE, sleepers
from tests.kit.clocks import until
from tests.kit.hosts.cabled import CabledHost, cabled_hosts
from tests.kit.postgres import Postgres

# Namespaces are made by root with iproute2, which Podman's networks need too.
pytestmark = [pytest.mark.repeats, pytest.mark.podman, pytest.mark.postgres, pytest.mark.timeout(600)]

JOB = "/v1/code/jobs/slow"
STANDS, GOES = 1.5, 0.5
"""Seconds for which the runner stands still and goes on in turn: each is far below the lease of ten."""


@pytest.fixture
def hosts(tmp_path: Path, postgres: Postgres) -> Iterator[list[CabledHost]]:
    with cabled_hosts(tmp_path, postgres, registry=True) as hosts:
        yield hosts


@contextmanager
def slowed(pid: int) -> Iterator[None]:
    """A process that works a quarter of the time."""
    over = threading.Event()

    def halt() -> None:
        while not over.wait(GOES):
            os.kill(pid, signal.SIGSTOP)
            over.wait(STANDS)
            os.kill(pid, signal.SIGCONT)

    halting = threading.Thread(target=halt)
    halting.start()
    try:
        yield
    finally:
        over.set()
        halting.join()


def test_a_runner_that_is_slow_keeps_its_runs_and_nobody_else_begins_them(
    hosts: list[CabledHost], tmp_path: Path
) -> None:
    one, other = hosts
    alice = other.server.add("alice")
    with one.program("runner") as slow:
        assert other.build("alice", "steps", RECIPE, tmp_path / "work") == "ready"
        other.asks("PUT", JOB, alice)
        other.asks("POST", f"{JOB}/config/chains", alice, "steps")
        with slowed(slow.pid):
            kept = other.trigger(JOB, alice, "pause")
            assert len(until(lambda: sleepers(PAUSES), bool, 300)) == 1
            with other.program("runner"):
                # The other one works beside it all the time, and might settle what it takes for lost.
                meanwhile = [other.trigger(JOB, alice, word) for word in ("short", "shorter")]
                for run in meanwhile:
                    assert other.end_of(JOB, run, alice) == "success"
                assert other.end_of(JOB, kept, alice) == "success", other.asks(
                    "GET", f"{JOB}/runs/{kept}/log", alice
                )
            last = other.trigger(JOB, alice, "last")
            assert other.end_of(JOB, last, alice) == "success"
    assert other.asks("GET", f"{JOB}/runs/{kept}/output", alice) == '"pause"'
    assert other.asks("GET", f"{JOB}/runs/{kept}/log", alice).count("exit code 0") == 1
    assert other.asks("GET", f"{JOB}/runs/{last}/output", alice) == '"last"'
