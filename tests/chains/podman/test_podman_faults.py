"""PodmanEngine when parts of Podman die, and when many steps run at once."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from chains.engine.port import Cause, EngineError, Exit, Handle, Line
from chains.host.host import PodmanHost
from chains.podman.api import ContainerApi, Podman
from chains.podman.engine import PodmanEngine
from tests.kit.counting.amount import seed
from tests.kit.podman import Bench, texts

pytestmark = pytest.mark.podman

KILLS = 12


def conmon_of(handle: Handle) -> int:
    """The process that keeps the container."""
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = file.read_bytes().split(b"\0")
        except OSError:
            continue
        if words[0].endswith(b"conmon") and handle.id.encode() in words:
            return int(file.parent.name)
    raise AssertionError("no conmon")


class Waited:
    """A started step that is waited for in a thread."""

    def __init__(self, bench: Bench, script: str) -> None:
        self.lines: list[Line] = []
        self.said = threading.Event()
        self.handle = bench.engine.prepare(bench.step(script))
        bench.engine.start(self.handle)
        self._pool = ThreadPoolExecutor(1)
        self._exit = self._pool.submit(bench.engine.wait, self.handle, self._tell)
        assert self.said.wait(120)

    def _tell(self, line: Line) -> None:
        self.lines.append(line)
        self.said.set()

    def ends(self) -> Exit:
        """How it ended."""
        ended = self._exit.result(timeout=120)
        self._pool.shutdown()
        return ended


def kill_service(host: PodmanHost) -> None:
    """End Podman's service as if it had crashed."""
    assert host.service_pid is not None
    os.kill(host.service_pid, signal.SIGKILL)


def test_waiting_survives_the_death_of_the_service(podman_bench: Bench) -> None:
    script = "echo ready; while [ ! -e /output/go ]; do sleep 0.02; done; echo end; exit 9"
    step = Waited(podman_bench, script)
    kill_service(podman_bench.host)
    (step.handle.spec.output / "go").touch()
    assert step.ends() == Exit(9)
    assert texts(step.lines) == ["ready", "end"]
    podman_bench.engine.remove(step.handle)
    assert podman_bench.engine.sweep(lambda run: False) == []


def test_a_service_that_died_is_there_again(podman_bench: Bench) -> None:
    for _ in range(3):
        kill_service(podman_bench.host)
        handle = podman_bench.engine.prepare(podman_bench.step("exit 5"))
        kill_service(podman_bench.host)
        podman_bench.engine.start(handle)
        assert podman_bench.engine.wait(handle, lambda line: None) == Exit(5)
        podman_bench.engine.remove(handle)


def test_a_service_that_stays_away_is_the_engines_error(podman_bench: Bench, tmp_path: Path) -> None:
    host = podman_bench.host
    nowhere = Podman(tmp_path / "none.sock", patience=0.1)
    engine = PodmanEngine(nowhere, host.confinement, host.exits, host.instance, host.networks.connect)
    with pytest.raises(EngineError, match="does not answer"):
        engine.prepare(podman_bench.step("true"))
    with pytest.raises(EngineError, match="does not answer"):
        engine.sweep(lambda run: False)


def test_a_step_whose_keeper_is_killed_is_lost_and_does_not_run_on(podman_bench: Bench) -> None:
    step = Waited(podman_bench, "echo ready; while :; do date > /output/alive; sleep 0.02; done")
    os.kill(conmon_of(step.handle), signal.SIGKILL)
    ended = step.ends()
    assert ended.cause is Cause.LOST
    assert "conmon" in ended.detail
    alive = step.handle.spec.output / "alive"
    written = alive.stat().st_mtime_ns
    time.sleep(0.1)
    assert alive.stat().st_mtime_ns == written
    podman_bench.engine.remove(step.handle)
    assert podman_bench.engine.sweep(lambda run: False) == []


def test_a_keeper_killed_while_its_step_is_stopped_is_no_second_cause(podman_bench: Bench) -> None:
    step = Waited(podman_bench, "trap '' TERM; echo ready; while :; do sleep 0.02; done")
    podman_bench.engine.stop(step.handle, 60)
    os.kill(conmon_of(step.handle), signal.SIGKILL)
    assert step.ends().cause is Cause.STOPPED
    podman_bench.engine.remove(step.handle)


def test_secrets_of_a_container_whose_making_broke_off_are_swept(podman_bench: Bench) -> None:
    containers = ContainerApi(podman_bench.podman)
    for name in ("curlew-lost.0", "curlew-lost.1", "by-hand"):
        containers.add_secret(name, "hunter2")
    podman_bench.engine.sweep(lambda run: False)
    assert containers.list_secrets() == ["by-hand"]
    containers.drop_secret("by-hand")


def test_a_container_that_cannot_be_made_leaves_no_secret(podman_bench: Bench) -> None:
    step = replace(podman_bench.step("true"), image="sha256:" + "0" * 64)
    with pytest.raises(EngineError):
        podman_bench.engine.prepare(step)
    assert ContainerApi(podman_bench.podman).list_secrets() == []


def test_another_engine_sweeps_what_a_lost_runner_left(podman_bench: Bench) -> None:
    host = podman_bench.host
    lost = PodmanEngine(
        Podman(host.socket), host.confinement, host.exits, host.instance, host.networks.connect
    )
    running = lost.prepare(podman_bench.step("trap '' TERM; while :; do sleep 1; done", run="lost-1"))
    lost.start(running)
    keeperless = lost.prepare(podman_bench.step("while :; do sleep 1; done", run="lost-2"))
    lost.start(keeperless)
    os.kill(conmon_of(keeperless), signal.SIGKILL)
    lost.prepare(podman_bench.step("true", run="lost-3"))
    assert podman_bench.engine.sweep(lambda run: False) == ["lost-1", "lost-2", "lost-3"]
    assert podman_bench.engine.sweep(lambda run: False) == []
    left = subprocess.run(["pgrep", "-f", running.id], capture_output=True, text=True, check=False)
    assert left.stdout == ""
    lost.close()


def test_a_service_killed_at_any_moment_leaves_no_keeper_after_a_sweep(podman_bench: Bench) -> None:
    dice, host = random.Random(seed()), podman_bench.host

    def kill() -> None:
        with suppress(ProcessLookupError):
            kill_service(host)

    for number in range(KILLS):
        killer = threading.Timer(dice.uniform(0.02, 0.2), kill)
        killer.start()
        with suppress(EngineError):
            podman_bench.engine.prepare(podman_bench.step("true", run=f"killed-{number}"))
        killer.join()
    podman_bench.engine.sweep(lambda run: False)
    left = subprocess.run(
        ["pgrep", "-fa", f"conmon .*{host.exits}"], capture_output=True, text=True, check=False
    )
    assert left.stdout == ""


def test_twenty_steps_at_once(podman_bench: Bench) -> None:
    script = 'cat /input/n; cat /input/n > /output/n; exit "$(cat /input/n)"'

    def play(number: int) -> tuple[Exit, list[str], str]:
        spec = podman_bench.step(script, run=f"run-{number}")
        (spec.mounts[0].source / "n").write_text(f"{number}\n")
        lines: list[Line] = []
        handle = podman_bench.engine.prepare(spec)
        podman_bench.engine.start(handle)
        ended = podman_bench.engine.wait(handle, lines.append)
        podman_bench.engine.remove(handle)
        return ended, texts(lines), (spec.output / "n").read_text()

    podman_bench.image(script)
    with ThreadPoolExecutor(20) as pool:
        results = list(pool.map(play, range(20)))
    assert results == [(Exit(n), [str(n)], f"{n}\n") for n in range(20)]
    assert podman_bench.engine.sweep(lambda run: False) == []


@pytest.fixture(autouse=True)
def no_descriptor_leaks(podman_bench: Bench) -> Iterator[None]:
    """No process or log stays open behind a removed step."""
    before = descriptors()
    yield
    podman_bench.engine.close()
    assert descriptors() <= before


def descriptors() -> int:
    """How many process descriptors and log files this process holds."""
    found = []
    for name in os.listdir("/proc/self/fd"):
        try:
            found.append(os.readlink(f"/proc/self/fd/{name}"))
        except FileNotFoundError:
            continue
    return sum("pidfd" in target or target.endswith("ctr.log") for target in found)
