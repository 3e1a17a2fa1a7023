"""Faults of several hosts one after the other, under load: nothing answered is lost, and nothing is twice.

One fault at a time is tried by test_cut_off and test_lost_parts, and for Dask by
test_steps_on_workers and tests/chains/dask/test_lost_hosts.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path

import pytest

from tests.handlers.processes.hosts.sleepers import sleepers
from tests.kit.clocks import until
from tests.kit.hosts.cabled import CabledHost, cabled_hosts
from tests.kit.hosts.cables import NET
from tests.kit.hosts.ledger import (
    DOCS,
    HOOK,
    JOB,
    Ledger,
    answers,
    compare,
    compare_messages,
    compare_runs,
    names,
    said,
)
from tests.kit.hosts.relays import DATABASE, relay
from tests.kit.hosts.shared import FULL
from tests.kit.outside.receiver import Receiver, receiving
from tests.kit.postgres import Postgres
from tests.kit.processes import tree
from tests.kit.sources import ROOT

pytestmark = [pytest.mark.repeats, pytest.mark.podman, pytest.mark.postgres]

JUMPING = ("-P", str(ROOT / "tests/durability/faults/jumping_clock.py"))
EVENTS = "/u/alice/d/*/e/created\n/u/alice/j/effect/e/run_success"
PAUSES, CUT = 8.25, 30.0
SCRIPT = "; ".join((
    "w=$(cat /input/* | tr -d '\"')",
    f'case "$w" in *pause*) sleep {PAUSES};; *) sleep 1;; esac',
    "echo \"$w\" >/mnt/effects/\"$w+$(cat /proc/sys/kernel/random/uuid)\"",
    "cp /input/* /output/",
))  # fmt: skip
RECIPE = f"FROM localhost/busybox:latest\nCMD {json.dumps(['sh', '-c', SCRIPT])}\n"
"""A step that leaves a new file in a space each time that it is run."""


def kill(process: subprocess.Popen[bytes]) -> None:
    """Kill a process and all that it started."""
    for pid in reversed(tree(process.pid)):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    process.wait()


class Faults:
    """Faults of the hosts, one after the other; each one is repaired before the next."""

    def __init__(self, ledger: Ledger, postgres: Postgres, folder: Path, stack: ExitStack) -> None:
        self.ledger, self.postgres, self.folder, self.stack = ledger, postgres, folder, stack
        self.one, self.other = ledger.hosts
        (folder / "ahead").write_text("0")
        self.first = stack.enter_context(self.one.program("runner"))
        stack.enter_context(self.other.program("runner", JUMPING))

    def partition(self) -> None:
        self.one.cable.cut()
        time.sleep(CUT)
        self.one.cable.repair()

    def database(self) -> None:
        self.postgres.crash()
        time.sleep(3)
        self.postgres.restart()

    def runner(self) -> None:
        run = json.loads(said(self.one, self.ledger.token, "POST", f"{JOB}/data", '"runner-pause"'))["run"]
        self.ledger.kept["run"]["runner-pause"] = json.dumps({"run": run})
        assert until(lambda: sleepers(PAUSES), bool)
        kill(self.first)
        time.sleep(12)
        self.first = self.stack.enter_context(self.one.program("runner"))

    def clock(self) -> None:
        (self.folder / "ahead").write_text("600")
        time.sleep(15)
        (self.folder / "ahead").write_text("0")

    def webs(self) -> None:
        for host in self.ledger.hosts:
            host.web.terminate()
            host.web.wait()
            host.web = self.stack.enter_context(host.program("web"))
            assert until(lambda host=host: answers(host, self.ledger.token), bool)  # type: ignore[misc]

    def bucket(self) -> None:
        (self.folder / FULL).touch()
        time.sleep(8)
        (self.folder / FULL).unlink()


@pytest.fixture
def durable() -> Iterator[Postgres]:
    server = Postgres(durable=True)
    yield server
    server.stop()


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as receiver:
        yield receiver


def prepare(hosts: list[CabledHost], folder: Path, address: str) -> str:
    """Make what the ledger writes to; the token of alice."""
    alice = hosts[0].server.add("alice")
    write = partial(hosts[0].asks, "POST")
    for path in ("/v1/code/spaces/files", "/v1/code/spaces/effects", JOB, HOOK, "/v1/code/repos/pushed"):
        hosts[0].asks("PUT", path, alice)
    with hosts[0].program("runner"):
        assert hosts[0].build("alice", "steps", RECIPE, folder / "steps") == "ready"
    write(f"{JOB}/config/chains", alice, "steps")
    write(f"{JOB}/config/spaces", alice, "effects => /u/alice/s/effects,rw")
    write(f"{HOOK}/events", alice, EVENTS)
    write(f"{HOOK}/url", alice, address)
    return alice


@pytest.mark.timeout(1200)
def test_nothing_that_was_answered_is_lost_and_nothing_is_twice(
    tmp_path: Path, durable: Postgres, receiver: Receiver, record_property: Callable[[str, object], None]
) -> None:
    with ExitStack() as stack:
        hosts = stack.enter_context(
            cabled_hosts(tmp_path, durable, registry=True, HOOKS_OUT_HOSTS=f"{NET}.0/24")
        )
        to_receiver = partial(socket.create_connection, ("127.0.0.1", receiver.server_port))
        port = stack.enter_context(relay(to_receiver, DATABASE))
        alice = prepare(hosts, tmp_path, f"http://{DATABASE}:{port}/200")
        ledger = Ledger(hosts, alice, tmp_path)
        faults = Faults(ledger, durable, tmp_path, stack)
        with ledger.working():
            for fault in (
                faults.partition, faults.database, faults.runner, faults.clock, faults.webs, faults.bucket,
            ):  # fmt: skip
                ledger.fault, began = fault.__name__, time.monotonic()
                fault()
                ledger.settle()
                ledger.figures[ledger.fault]["seconds"] = int(time.monotonic() - began)
        record_property("figures", {name: dict(figures) for name, figures in ledger.figures.items()})
        for host in hosts:
            record_property("kept", dict(compare(ledger, host)))
        ends, well = compare_runs(ledger, hosts[0])
        record_property("runs", dict(ends))
        docs = set(names(hosts[1], alice, DOCS))
        record_property("messages", compare_messages(ledger, receiver, well, docs, kills=1))
        assert ledger.failures == []
        assert hosts[0].asks("GET", f"{HOOK}/state", alice) == "active"
        assert [
            line for host in hosts for line in host.log.read_text().splitlines() if '"status":500' in line
        ] == []
