"""A second process never harms the one that works, whatever it is and however it ends."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.kit.command import Service, serving
from tests.kit.processes import free_port, own, running, tree
from tests.kit.unmeasured import environment

pytestmark = pytest.mark.podman

NEVER = 120.0
ENDS = [signal.SIGTERM, signal.SIGINT, signal.SIGKILL]
STANDBY = "this one waits for its end"
JOB = "/v1/code/jobs/say"


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Service, str]]:
    """A service that works, and the token of alice, whose job `say` runs."""
    with serving("serve", tmp_path_factory.mktemp("first") / "data") as service:
        token = service.user("alice")
        until(lambda: service.ask("GET", "/readyz", token)[1] == b"pass\n")
        service.push("alice", token, "say", 'FROM busybox\nCMD ["echo", "hello"]\n')
        service.want("PUT", JOB, token)
        service.want("POST", f"{JOB}/config/chains", token, b"say")
        assert runs(service, token)
        yield service, token


def runs(service: Service, token: str) -> bool:
    service.want("POST", f"{JOB}/data", token, b"{}", "application/json")
    return "say: hello" in service.want("GET", f"{JOB}/log", token).decode()


def owned(service: Service) -> set[object]:
    """What belongs to the runner that works: its processes, its state, the mark of its Podman."""
    mark = (service.folder / "podman" / "instance").read_text()
    state = Path(f"/run/curlew-{mark}")
    place = state if state.exists() else service.folder / "podman" / "state"
    return {mark, place.stat().st_ino, *(lasting(service.pid) & lasting(service.pid, after=0.2))}


def lasting(first: int, after: float = 0.0) -> set[int]:
    """Processes that stay; one that was forked just now has its parent's command until it has its own."""
    time.sleep(after)
    stay = (b"handlers", b"system\0service")
    return {pid for pid in tree(first) if any(mark in command_of(pid) for mark in stay)}


def command_of(pid: int) -> bytes:
    with suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    return b""


def until(done: Callable[[], object]) -> None:
    deadline = time.monotonic() + NEVER
    while not done():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def start(log: Path, folder: Path, *words: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-u", "-m", "handlers", *words, "--data", str(folder)]
    with log.open("wb") as file:
        return subprocess.Popen(command, env=environment(), stdout=file, stderr=file, start_new_session=True)


@pytest.mark.parametrize("how", ENDS, ids=lambda how: how.name)
@pytest.mark.parametrize("command, sign", [("serve", STANDBY), ("runner", STANDBY), ("doctor", "ok   git")])
def test_a_second_one_that_ends_leaves_the_first_working(
    first: tuple[Service, str], tmp_path: Path, command: str, sign: str, how: signal.Signals
) -> None:
    service, token = first
    before, log = owned(service), tmp_path / "log"
    words = ["serve", "--bind", f"127.0.0.1:{free_port()}"] if command == "serve" else [command]
    second = start(log, service.folder, *words)
    until(lambda: sign in log.read_text())
    family = tree(second.pid)
    second.send_signal(how)
    second.wait(NEVER)
    until(lambda: not any(b"handlers" in command_of(pid) for pid in family))
    assert owned(service) == before, log.read_text()
    assert runs(service, token)


def test_commands_that_run_to_their_end_leave_the_first_working(first: tuple[Service, str]) -> None:
    service, token = first
    before = owned(service)
    for words in (["user", "list"], ["doctor", "--json"], ["migrate"], ["files", "ls", "--as", "alice"]):
        command = [sys.executable, "-m", "handlers", *words, "--data", str(service.folder)]
        done = subprocess.run(command, env=environment(), capture_output=True, text=True, check=False)
        assert done.returncode in (0, 2), done
    assert owned(service) == before
    assert runs(service, token)


def test_a_port_in_use_is_reported_in_one_sentence(first: tuple[Service, str]) -> None:
    service, token = first
    bind = f"127.0.0.1:{service.port}"
    command = [sys.executable, "-m", "handlers", "serve", "--data", str(service.folder), "--bind", bind]
    done = subprocess.run(command, env=environment(), capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        f"curlew: nothing can listen on {bind}: another program listens there; --bind HOST:PORT chooses "
        "another address\n"
    )
    assert runs(service, token)


def test_doctor_looks_at_the_runner_that_works(first: tuple[Service, str]) -> None:
    service, _ = first
    found = {check["name"]: check for check in examined(service.folder)}
    assert found["runner"]["ok"]
    assert "Podman answers" in str(found["runner"]["detail"])
    assert found["engine"]["ok"]
    assert "runtime" not in found


def test_a_podman_that_lost_its_state_is_mended(first: tuple[Service, str]) -> None:
    service, token = first
    mark = (service.folder / "podman" / "instance").read_text()
    state = Path(f"/run/curlew-{mark}")
    place = state if state.exists() else service.folder / "podman" / "state"
    subprocess.run(["umount", "--lazy", "--recursive", place], capture_output=True, check=False)
    shutil.rmtree(place, ignore_errors=True)
    until((place / "podman.sock").exists)
    assert runs(service, token)
    assert examined(service.folder)[0]["ok"]


def test_one_that_waits_takes_over_when_the_first_is_killed(first: tuple[Service, str]) -> None:
    service, token = first
    port = free_port()
    chosen = own({"DATA": str(service.folder), "BIND": f"127.0.0.1:{port}", "GRACEFUL_TIMEOUT": "1"})
    log = service.folder.with_name("second.log")
    with running("handlers", "serve", port=port, log=log, **chosen) as pid:
        until(lambda: STANDBY in log.read_text())
        ours = [one for one in tree(service.pid) if b"handlers" in command_of(one)]
        for one in ours:
            os.kill(one, signal.SIGKILL)
        second = Service(service.folder, port, pid)
        assert runs(second, token)
        second.close()


def examined(folder: Path) -> list[dict[str, object]]:
    command = [sys.executable, "-m", "handlers", "doctor", "--json", "--data", str(folder)]
    done = subprocess.run(command, env=environment(), capture_output=True, text=True, check=False)
    found: list[dict[str, object]] = json.loads(done.stdout)
    return found
