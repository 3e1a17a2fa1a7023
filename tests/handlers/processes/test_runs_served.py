"""Runs of a whole service with real containers: spaces of several jobs, jobs in jobs, holds over a crash."""

from __future__ import annotations

import json
import os
import signal
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from chains.podman.leftovers import unmount
from tests.kit.command import Service
from tests.kit.processes import free_port, own, running, tree
from tests.kit.suites.chains import at_once

pytestmark = pytest.mark.podman

SECONDS = 180.0
BUSYBOX = "FROM localhost/busybox:latest\n"
JOBS, SPACES = "/v1/code/jobs", "/v1/code/spaces"
ROUNDS = 3
WRITE = """
for n in 0 1 2 3 4 5 6 7; do yes $WORD | head -c 100000 > /mnt/n/f$n; done; echo $WORD > /mnt/n/by-$WORD
"""
LOOK = """
echo saw $(ls /mnt) $(cat /mnt/r/a); (echo no > /mnt/r/a) && echo written; true
"""


@contextmanager
def served(folder: Path, port: int) -> Iterator[Service]:
    """`curlew serve` on a folder, fresh or not."""
    settings = {"DATA": str(folder), "BIND": f"127.0.0.1:{port}", "GRACEFUL_TIMEOUT": "1", "NETWORK": "none"}
    with running("handlers", "serve", port=port, log=folder.with_suffix(".log"), **own(settings)) as pid:
        service = Service(folder, port, pid)
        try:
            yield service
        finally:
            service.close()


def script(service: Service, token: str, repo: str, text: str) -> None:
    """Push a repo of alice's whose image runs a shell script."""
    service.push("alice", token, repo, f"{BUSYBOX}CMD {json.dumps(['sh', '-c', text])}\n")


def job(service: Service, token: str, name: str, **config: str) -> None:
    service.want("PUT", f"{JOBS}/{name}", token)
    for rel, text in config.items():
        service.want("POST", f"{JOBS}/{name}/config/{rel.replace('__', '/')}", token, text.encode())


def run(service: Service, token: str, name: str) -> bytes:
    return service.want("POST", f"{JOBS}/{name}/data", token, b"{}", "application/json")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int]:
    """The folder and the port of the service."""
    folder = tmp_path_factory.mktemp("served") / "data"
    folder.mkdir()
    return folder, free_port()


@pytest.fixture(scope="module")
def service(place: tuple[Path, int]) -> Iterator[Service]:
    with served(*place) as service:
        yield service


@pytest.fixture(scope="module")
def token(service: Service) -> str:
    return service.user("alice")


def test_two_runs_that_write_a_space_at_once_leave_the_files_of_one(service: Service, token: str) -> None:
    script(service, token, "writes", WRITE)
    service.want("PUT", f"{SPACES}/notes", token)
    for word in ("one", "other"):
        job(service, token, word, chains="writes", spaces="n => /u/alice/s/notes,rw", env__WORD=word)
    for _ in range(ROUNDS):
        callers = {word: Service(service.folder, service.port, service.pid) for word in ("one", "other")}
        answers = at_once(*[lambda w=w, c=c: run(c, token, w) for w, c in callers.items()])  # type: ignore[misc]
        for caller in callers.values():
            caller.close()
        assert answers == [b"", b""]
        files = [service.want("GET", f"{SPACES}/notes/content/f{n}", token) for n in range(8)]
        assert len(set(files)) == 1, "whole files, all of the last writer"
        assert len(files[0]) == 100_000
    journal = service.data(f"{SPACES}/notes/changes", token)
    assert [row["seq"] for row in journal["changes"]] == list(range(1, journal["latest_seq"] + 1))
    listed = {row["name"]: row["etag"] for row in service.data(f"{SPACES}/notes/content", token)}
    assert {row["path"]: row["etag"] for row in journal["changes"]} == listed
    assert {"by-one", "by-other"} <= set(listed)


def test_steps_see_the_spaces_of_their_own_job_and_write_no_other(service: Service, token: str) -> None:
    script(service, token, "looks", LOOK)
    for name in ("inside", "outside"):
        service.want("PUT", f"{SPACES}/{name}", token)
        service.want("PUT", f"{SPACES}/{name}/content/a", token, name.encode())
    job(service, token, "inner", chains="looks", spaces="r => /u/alice/s/inside")
    job(service, token, "outer", chains="/j/inner", spaces="o => /u/alice/s/outside,rw")
    run(service, token, "outer")
    log = service.want("GET", f"{JOBS}/outer/log", token).decode()
    assert "inner__looks: saw r inside\n" in log
    assert "Read-only file system" in log
    assert "written" not in log
    job(service, token, "plain", chains="looks", spaces="r => /u/alice/s/inside,ro\no => /u/alice/s/outside")
    run(service, token, "plain")
    assert "looks: saw o r inside\n" in service.want("GET", f"{JOBS}/plain/log", token).decode()
    assert service.want("GET", f"{SPACES}/inside/content/a", token) == b"inside"


def kill(service: Service) -> None:
    """Kill all of a service, and wait until nobody listens any more."""
    for pid in tree(service.pid):
        # Some end when the process that started them is gone.
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    with suppress(ConnectionRefusedError):
        while True:
            with suppress(ConnectionResetError):
                socket.create_connection(("127.0.0.1", service.port), 1).close()
            time.sleep(0.02)


@pytest.fixture
def crashed(tmp_path: Path) -> Iterator[Path]:
    """A folder for a service that is killed; the mounts that Podman left are removed at the end."""
    folder = tmp_path / "data"
    folder.mkdir()
    yield folder
    unmount(folder)


def test_a_waiting_run_outlives_a_crash_of_everything(crashed: Path) -> None:
    folder, port = crashed, free_port()
    with served(folder, port) as service:
        token = service.user("alice")
        script(service, token, "copies", "cp -r /input/. /output")
        job(service, token, "letter", chains="then <- copies\nlast <- copies\ncopies! -> then -> last")
        answer = json.loads(run(service, token, "letter"))
        assert (answer["status"], answer["hold"]) == ("waiting", {"step": "copies", "phase": "after"})
        kill(service)
    with served(folder, port) as service:
        address, space = f"{JOBS}/letter/runs/{answer['run']}", answer["space"].rpartition("/")[2]
        assert service.want("GET", f"{address}/status", token) == b"waiting"
        service.want("POST", f"{SPACES}/{space}/content/input.json", token, b"mended")
        service.want("POST", f"{address}/hold", token, b"continue")
        until = time.monotonic() + SECONDS
        while (status := service.want("GET", f"{address}/status", token)) != b"success":
            assert status != b"failed", service.want("GET", f"{address}/log", token).decode()
            assert time.monotonic() < until, status
            time.sleep(0.05)
        assert service.want("GET", f"{address}/output", token) == b"mended"
        assert service.data(SPACES, token) == []
        while left := list((folder / "runs").glob("[!.]*")):
            assert time.monotonic() < until, left
            time.sleep(0.05)


def test_a_waiting_run_loses_a_space_that_is_shared_no_more(service: Service, token: str) -> None:
    bob, vault = service.user("bob"), "/v1/code/spaces/vault"
    script(service, token, "begins", "true")
    script(service, token, "shows", "cat /mnt/v/doc; echo overwritten > /mnt/v/doc; true")
    service.want("PUT", vault, bob)
    for mode, letters in (("ro", "r"), ("rw", "rw")):
        service.want("PUT", f"{vault}/content/doc", bob, b"shared")
        service.want("PUT", f"{vault}/shared/@alice~{letters}", bob)
        job(service, token, mode, chains="begins -> !shows", spaces=f"v => /u/bob/s/vault,{mode}")
        seen, kept = (json.loads(run(service, token, mode))["run"] for _ in range(2))
        assert "shows: shared" in ended(service, token, mode, seen, "success")
        service.want("DELETE", f"{vault}/shared/@alice~{letters}", bob)
        service.want("POST", f"{vault}/content/doc", bob, b"private")
        log = ended(service, token, mode, kept, "failed")
        assert f"@alice may not use /u/bob/s/vault any more: its owner has to share it with {letters}" in log
        assert "private" not in log
        assert service.want("GET", f"{vault}/content/doc", bob) == b"private"


def ended(service: Service, token: str, name: str, run: str, how: str) -> str:
    """The log of a run that is continued and comes to its end."""
    address = f"{JOBS}/{name}/runs/{run}"
    service.want("POST", f"{address}/hold", token, b"continue")
    until = time.monotonic() + SECONDS
    while (status := service.want("GET", f"{address}/status", token).decode()) != how:
        assert time.monotonic() < until, status
        time.sleep(0.05)
    return service.want("GET", f"{address}/log", token).decode()
