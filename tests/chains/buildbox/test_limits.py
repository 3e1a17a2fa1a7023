"""What a build may use, and the sentence when it asks for more; what is left of one that was broken off."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from chains.buildbox.box import BUILD_LABEL, BuildLimits
from chains.buildbox.workshop import Workshop
from chains.engine.port import BuildFailed, BuildOrder, Mount
from chains.host.host import HostSettings, PodmanHost
from chains.podman.api import Podman
from tests.kit.podman import Bench, builder_on, wipe

pytestmark = pytest.mark.podman

BUSY = "FROM localhost/busybox\n"


def folder_with(bench: Bench, recipe: str) -> Path:
    """A context with a recipe."""
    context = bench.folder("context")
    (context / "Dockerfile").write_text(BUSY + recipe)
    return context


def order_of(repo: int, context: Path) -> BuildOrder:
    """An order to build a folder."""
    return BuildOrder(repo, context, "Dockerfile", "x", {})


@pytest.mark.parametrize(
    ("limits", "recipe", "reason"),
    [
        (
            BuildLimits(disk=96 << 20),
            "RUN dd if=/dev/zero of=/big bs=1M count=300\n",
            "more than 96 MiB of disk",
        ),
        (BuildLimits(disk=96 << 20), "RUN fallocate -l 6000000000 /big\n", "more than 96 MiB of disk"),
        (BuildLimits(log=1 << 20), "RUN yes | head -c 9000000\n", "more than 1 MiB of log"),
        (BuildLimits(memory=128 << 20), "RUN tail /dev/zero\n", "more than 128 MiB of memory"),
        (BuildLimits(seconds=2), "RUN setsid sleep 77 & sleep 78\n", "longer than 2 seconds"),
    ],
)
def test_a_limit_that_is_hit_is_said(
    podman_bench: Bench, limits: BuildLimits, recipe: str, reason: str
) -> None:
    small = builder_on(podman_bench.host, limits)
    with pytest.raises(BuildFailed, match=reason):
        small.build(order_of(31, folder_with(podman_bench, recipe)), lambda _: None)
    assert mounts(podman_bench.host, "volumes") == []
    assert small.workshop.volumes.sweep(lambda repo: repo != 31) == [], "its disk is thrown away"
    left = subprocess.run(["pgrep", "-f", "^sleep 7[78]$"], capture_output=True, text=True, check=False)
    assert left.stdout == ""


def mounts(host: PodmanHost, part: str = "builds") -> list[str]:
    """What is mounted in the folder of a host's builds, which is a shared mount itself."""
    lines = Path("/proc/self/mountinfo").read_text().splitlines()
    return [line for line in lines if f"{host.folders.state}/builds/" in line and part in line]


def loops(folder: Path) -> list[str]:
    """The loop devices that lead to files below a folder."""
    files = [file.read_text() for file in Path("/sys/block").glob("loop*/loop/backing_file")]
    return [file for file in files if str(folder) in file]


def test_a_build_goes_on_when_the_service_dies(podman_bench: Bench) -> None:
    host = podman_bench.host
    order = BuildOrder(
        32, folder_with(podman_bench, "RUN echo asleep; sleep 2; echo awake\n"), "Dockerfile", "x", {}
    )
    lines: list[str] = []

    def tell(line: str) -> None:
        lines.append(line)
        if line == "asleep" and host.service_pid:
            os.kill(host.service_pid, signal.SIGKILL)

    assert podman_bench.builder.find(podman_bench.builder.build(order, tell).id)
    assert "awake" in lines


def test_the_least_used_disks_give_way(podman_bench: Bench) -> None:
    volumes = builder_on(podman_bench.host, BuildLimits(cache=8 << 20, disk=64 << 20)).workshop.volumes
    for repo in (33, 34, 35):
        with volumes.lend(repo, ()) as volume:
            (volume.place / "store").mkdir()
            (volume.place / "store/file").write_bytes(os.urandom(5 << 20))
    assert volumes.sweep(lambda repo: repo not in (33, 34, 35)) == [35]


def test_a_build_that_ends_does_not_wait_for_a_container_that_goes_on(podman_bench: Bench) -> None:
    """What begins while a disk is mounted begins with a copy of that mount."""
    shop = podman_bench.builder.workshop
    ready = shop.ensure()
    begun, kills = threading.Event(), list[Callable[[], None]]()
    mount = (Mount(ready.base.place, "/base"),)

    def begin(kill: Callable[[], None]) -> None:
        kills.append(kill)
        begun.set()

    going = threading.Thread(target=lambda: ready.box.run("sleep 81", mount, BuildLimits(), begun=begin))
    with shop.volumes.lend(38, ()):
        going.start()
        assert begun.wait(30)
        ended = time.monotonic()
    took = time.monotonic() - ended
    kills[0]()
    going.join()
    assert took < 3
    assert shop.volumes.sweep(lambda repo: repo != 38) == [38], "its disk is kept for the next build"


def test_the_disks_of_removed_repos_are_removed(podman_bench: Bench) -> None:
    builder = podman_bench.builder
    builder.build(order_of(36, folder_with(podman_bench, "ENV A=1\n")), lambda _: None)
    assert builder.sweep(lambda repo: repo != 36) == [36]
    assert builder.sweep(lambda repo: repo != 36) == []


def test_a_builder_that_is_closed_ends_its_builds_and_leaves_nothing(podman_bench: Bench) -> None:
    builder, host = builder_on(podman_bench.host), podman_bench.host
    order = order_of(37, folder_with(podman_bench, "RUN echo asleep; sleep 79\n"))
    closer = threading.Thread(target=builder.close)
    with pytest.raises(BuildFailed, match="the server is being stopped"):
        builder.build(order, lambda line: closer.start() if line == "asleep" else None)
    closer.join()
    assert mounts(host) == []
    assert loops(host.folders.folder) == []
    assert boxes(host) == []
    with pytest.raises(BuildFailed, match="the server is being stopped"):
        builder.build(order, lambda _: None)


def boxes(host: PodmanHost) -> list[str]:
    """The boxes that a host has."""
    filters = ("--filter", f"label={BUILD_LABEL}")
    return host.program.run("ps", "--all", "--quiet", *filters).stdout.split()


@pytest.fixture
def killed(tmp_path: Path) -> Iterator[PodmanHost]:
    """A host whose runner was killed in the middle of a build."""
    (tmp_path / "context").mkdir()
    (tmp_path / "context/Dockerfile").write_text(BUSY + "RUN echo asleep; sleep 80\n")
    script = (
        "import sys; from pathlib import Path; from chains.engine.port import BuildOrder; "
        "from chains.host.host import HostSettings, PodmanHost; "
        "from tests.kit.podman import builder_on; "
        "host = PodmanHost(HostSettings(Path(sys.argv[1]), base_image='localhost/none')); host.prepare(); "
        "host.start(); builder_on(host).build(BuildOrder(1, Path(sys.argv[2]), 'Dockerfile', 'x', {}), "
        "lambda line: print(line, flush=True))"
    )
    host = PodmanHost(HostSettings(tmp_path / "host", base_image="localhost/none"))
    command = [sys.executable, "-c", script, str(host.settings.folder), str(tmp_path / "context")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=Path.cwd()) as runner:
        assert runner.stdout is not None
        assert any(line == "asleep\n" for line in runner.stdout)
        runner.kill()
    yield host
    wipe(host)


def test_what_a_killed_runner_left_is_cleared_at_the_next_start(killed: PodmanHost) -> None:
    killed.prepare()
    killed.start()
    assert mounts(killed) != []
    assert boxes(killed) != []
    workshop = Workshop(killed, Podman(killed.socket), BuildLimits())
    workshop.clear()
    assert boxes(killed) == []
    assert mounts(killed) == []
    assert list(killed.folders.folder.glob("builds/volumes/*.open")) == []
    until = time.monotonic() + 10
    while loops(killed.folders.folder) and time.monotonic() < until:
        time.sleep(0.05)
    assert loops(killed.folders.folder) == []
    workshop.close()


def test_the_runtime_gets_the_expected_profile(podman_bench: Bench) -> None:
    """The box is compared with what the kernel and Podman made of it: another profile is seen."""
    box = podman_bench.builder.workshop.ensure().box
    said = json.loads(box.seccomp.read_text())
    rules = [rule for rule in said["syscalls"] if rule["action"] == "SCMP_ACT_ALLOW"]
    allowed = {name for rule in rules for name in rule["names"]}
    assert {"mount", "umount2", "pivot_root", "chroot"} <= allowed
    assert allowed.isdisjoint({"setns", "ptrace", "bpf", "keyctl", "io_uring_setup", "open_tree", "fsopen"})
