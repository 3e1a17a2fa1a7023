"""Faults of Podman and its images, with real containers: what clients see, for how long, what is lost."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from chains.host.host import HostSettings, PodmanHost
from tests.durability.faults.stage import PLOT, QUICK, SLOW, Row, Stage, await_so, table
from tests.kit.unmeasured import environment

pytestmark = [pytest.mark.podman, pytest.mark.timeout(900)]

SERVICE = b"podman\0system\0service\0"
ENDED = {"success", "failed"}

Play = Callable[[Stage, Row], None]


def podman(stage: Stage, words: str) -> str:
    """What the Podman of the stage's runner says."""
    shell = PodmanHost(HostSettings(folder=stage.folder / "podman")).shell
    command = [*inside(stage), "sh", "-c", f"{shell} {words}"]
    done = subprocess.run(command, text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def inside(stage: Stage) -> tuple[str, ...]:
    """Words before a command that is to see what the runner sees."""
    return ("nsenter", "-t", str(stage.runner.pid), "-m")


def service_of(stage: Stage) -> int:
    """The process of Podman's service, which a thread of the runner started."""
    children = [
        child
        for thread in Path(f"/proc/{stage.runner.pid}/task").iterdir()
        for child in (thread / "children").read_text().split()
        if Path(f"/proc/{child}/cmdline").read_bytes().startswith(SERVICE)
    ]
    (found,) = children
    return int(found)


def begin_slow(stage: Stage) -> str:
    """A slow run whose container is at work."""
    run = stage.trigger(SLOW)
    await_so(lambda: b"begun" in stage.want("GET", f"{run}/log"))
    return run


def service_killed(stage: Stage, row: Row) -> None:
    going = begin_slow(stage)
    os.kill(service_of(stage), signal.SIGKILL)
    stage.measure(row)
    await_so(lambda: stage.status(going) == "success")


def service_hangs(stage: Stage, row: Row) -> None:
    going = begin_slow(stage)
    began = time.monotonic()
    os.kill(service_of(stage), signal.SIGSTOP)
    waiting = stage.trigger(QUICK)
    await_so(lambda: {stage.status(run) for run in (going, waiting)} <= ENDED)
    assert time.monotonic() - began < row.seconds
    for run in (going, waiting):
        assert stage.status(run) == "success", stage.want("GET", f"{run}/log").decode()
    stage.measure(row)


def program_gone(stage: Stage, row: Row) -> None:
    going = begin_slow(stage)
    program = shutil.which("podman") or ""
    subprocess.run([*inside(stage), "mount", "--bind", "/bin/false", program], check=True)
    os.kill(service_of(stage), signal.SIGKILL)
    await_so(lambda: "Podman is away" in stage.check("runner")[2])
    assert stage.check("runner")[:2] == (200, "warn")
    row.says(stage.check("runner")[2])
    waiting = stage.trigger(QUICK)
    stage.write()
    time.sleep(2)
    assert stage.status(waiting) == "processing"
    subprocess.run([*inside(stage), "umount", program], check=True)
    began = time.monotonic()
    await_so(lambda: {stage.status(run) for run in (going, waiting)} <= ENDED)
    assert time.monotonic() - began < row.seconds
    assert stage.status(waiting) == "success"
    stage.measure(row)


def image_lost(stage: Stage, row: Row) -> None:
    podman(stage, f"rmi --force {oldest_image(stage)}")
    first = stage.trigger(QUICK)
    # The image is built again from then on, which may be done before anybody reads the log.
    await_so(lambda: stage.check("images")[:2] == (200, "warn"))
    await_so(lambda: stage.status(first) in ENDED)
    assert stage.status(first) == "failed"
    row.says(stage.want("GET", f"{first}/log").decode())
    second = stage.trigger(QUICK)
    began = time.monotonic()
    await_so(lambda: stage.status(second) in ENDED)
    assert time.monotonic() - began < row.seconds
    assert stage.status(second) == "success", stage.want("GET", f"{second}/log").decode()
    stage.measure(row)


def oldest_image(stage: Stage) -> str:
    """The image of the repo that was pushed first, which is QUICK's."""
    said: list[dict[str, Any]] = json.loads(podman(stage, "images --format json"))
    built = [one for one in said if "curlew.repo" in (one["Labels"] or {})]
    oldest: str = min(built, key=lambda one: int(one["Labels"]["curlew.repo"]))["Id"]
    return oldest


CONTAINERS: dict[str, Play] = {
    "Podman's service is killed": service_killed,
    "Podman's service hangs": service_hangs,
    "Podman does not start": program_gone,
    "an image is lost": image_lost,
}


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """All processes, with containers."""
    stage = Stage(tmp_path_factory.mktemp("podman") / "data", podman=True)
    try:
        stage.start()
        yield stage
        stage.runner.stop()
    finally:
        stage.close()


@pytest.mark.parametrize("fault", CONTAINERS)
def test_a_fault_of_containers(stage: Stage, fault: str) -> None:
    CONTAINERS[fault](stage, table()[fault])


def test_runs_of_a_restored_place_whose_images_are_gone_have_them_built(tmp_path: Path) -> None:
    """A run that was queued when a backup was made waits for its image in a place that has none."""
    stage, restored = Stage(tmp_path / "data", podman=True), Stage(tmp_path / "new", podman=True)
    try:
        stage.start()
        stage.runner.stop()
        run = stage.trigger(QUICK)
        command(stage, "backup", str(tmp_path / "backup.tar"))
        stage.close()
        command(restored, "restore", str(tmp_path / "backup.tar"))
        restored.token = stage.token
        restored.restart()
        await_so(lambda: restored.status(run) in ENDED)
        log = restored.want("GET", f"{run}/log").decode()
        assert restored.status(run) == "success", log
        assert "the run waits until it is built again" in log
        assert restored.want("GET", f"{PLOT}/data") == stage.kept
        restored.runner.stop()
    finally:
        stage.close()
        restored.close()


def command(stage: Stage, *words: str) -> None:
    """A command on the stage's data."""
    program = [sys.executable, "-P", "-m", "handlers", *words, "--data", str(stage.folder)]
    known = {**environment(), "CURLEW_DATABASE_URL": stage.database}
    done = subprocess.run(program, env=known, text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
