"""PodmanHost: from an empty folder to running steps, and back to nothing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from chains.buildbox.doctor import build_checks
from chains.engine.port import BuildOrder, EngineError, Exit, Line, Network
from chains.host.config import TIDIED_AFTER_SECONDS
from chains.host.doctor import check_host
from chains.host.host import HostSettings, PodmanHost
from chains.podman.api import Podman
from chains.podman.image_store import PodmanImages
from chains.podman.leftovers import await_quiet
from tests.kit.podman import Bench, engine_on, texts, wipe

pytestmark = pytest.mark.podman

WITHOUT_BASE = "localhost/not-wanted-here"


@pytest.fixture
def bare(tmp_path: Path) -> Iterator[PodmanHost]:
    """A separate host, ready but without a base image."""
    host = PodmanHost(HostSettings(folder=tmp_path / "host", base_image=WITHOUT_BASE))
    yield host
    wipe(host)


def traces(host: PodmanHost) -> list[str]:
    """What of a host can still be seen from outside it."""
    mounts = Path("/proc/self/mountinfo").read_text().splitlines()
    commands = subprocess.run(
        ["ps", "-eo", "args"], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    rules = subprocess.run(["iptables-save"], capture_output=True, text=True, check=False).stdout.splitlines()
    marks = (str(host.folders.folder), str(host.folders.state), host.bridge.interface, host.bridge.chain)
    links = os.listdir("/sys/class/net")
    return [line for line in (*mounts, *commands, *rules, *links) if any(mark in line for mark in marks)]


def test_nothing_is_left_behind(bare: PodmanHost, tmp_path: Path) -> None:
    bare.prepare()
    bare.start()
    bench = Bench(bare, tmp_path)
    running = bench.engine.prepare(bench.step("trap '' TERM; while :; do sleep 1; done"))
    bench.engine.start(running)
    outside = bench.engine.prepare(bench.step("sleep 60", network=Network.OUTBOUND))
    bench.engine.start(outside)
    assert traces(bare)
    bench.engine.close()
    bench.builder.close()
    bare.stop()
    assert traces(bare) == []
    assert not bare.folders.state.exists()
    wipe(bare)
    assert not bare.folders.folder.exists()


def test_a_stopped_host_starts_again_with_its_images(bare: PodmanHost, tmp_path: Path) -> None:
    bare.prepare()
    bare.start()
    first = Bench(bare, tmp_path)
    image = first.image("echo kept")
    first.engine.close()
    first.builder.close()
    bare.stop()
    again = PodmanHost(bare.settings)
    assert again.instance == bare.instance
    again.prepare()
    again.start()
    engine = engine_on(again)
    spec = replace(first.step("echo kept"), image=image)
    handle = engine.prepare(spec)
    engine.start(handle)
    lines: list[Line] = []
    assert engine.wait(handle, lines.append) == Exit(0)
    assert texts(lines) == ["kept"]
    engine.remove(handle)
    engine.close()
    again.stop()


def named(container: str) -> list[str]:
    """The command lines and mounts of this machine in which a container is named."""
    seen = subprocess.run(["ps", "-wweo", "args"], capture_output=True, text=True, check=True).stdout
    mounts = Path("/proc/self/mountinfo").read_text()
    return [line for line in (seen + mounts).splitlines() if container in line]


def test_a_container_that_is_removed_leaves_no_process_to_tidy_up(podman_bench: Bench) -> None:
    for removed_early in (True, False):
        handle = podman_bench.engine.prepare(podman_bench.step("true"))
        assert [line for line in named(handle.id) if f"--exit-delay {TIDIED_AFTER_SECONDS}" in line]
        if not removed_early:
            podman_bench.engine.start(handle)
            assert podman_bench.engine.wait(handle, lambda line: None) == Exit(0)
        podman_bench.engine.remove(handle)
        await_quiet(Path(handle.id), 5)
        assert named(handle.id) == []
        assert not (podman_bench.host.exits / handle.id).exists()


def test_podman_tidies_up_what_nobody_removed(podman_bench: Bench) -> None:
    handle = podman_bench.engine.prepare(podman_bench.step("true"))
    podman_bench.engine.start(handle)
    assert podman_bench.engine.wait(handle, lambda line: None) == Exit(0)
    await_quiet(Path(handle.id), 2 * TIDIED_AFTER_SECONDS)
    assert named(handle.id) == []
    podman_bench.engine.remove(handle)


def test_a_host_takes_over_from_one_that_was_killed(bare: PodmanHost) -> None:
    script = (
        "import sys; from pathlib import Path; from chains.host.host import *; "
        f"host = PodmanHost(HostSettings(folder=Path(sys.argv[1]), base_image={WITHOUT_BASE!r})); "
        "host.prepare(); host.start(); print(host.service_pid, flush=True); input()"
    )
    command = [sys.executable, "-c", script, str(bare.settings.folder)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        left = int(other.stdout.readline())
        other.kill()
    assert Path(f"/proc/{left}").exists()
    bare.prepare()
    bare.start()
    assert "podman" not in command_of(left)
    assert bare.service_pid != left


def command_of(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return ""


def test_starting_twice_is_starting_once(bare: PodmanHost) -> None:
    bare.prepare()
    bare.start()
    pid = bare.service_pid
    bare.start()
    assert bare.service_pid == pid


def test_the_doctor_finds_a_ready_host_well(podman_host: PodmanHost) -> None:
    checks = check_host(podman_host)
    checks += build_checks(
        podman_host.program, podman_host.runtimes.require(), podman_host.folders.state / "doctor"
    )
    names = ["podman", "runtime", "users", "base image", "network", "names", "api", "builds"]
    assert [check.name for check in checks][: len(names)] == names
    assert [check for check in checks if not check.ok] == []
    assert "4." in checks[0].detail or "5." in checks[0].detail


def test_the_doctor_names_what_is_wrong_and_what_to_do(tmp_path: Path) -> None:
    host = PodmanHost(HostSettings(folder=tmp_path / "host", runtime="no-such-runtime"))
    checks = check_host(host)
    assert [(check.name, check.ok) for check in checks] == [("podman", True), ("runtime", False)]
    assert "no-such-runtime" in checks[1].detail
    assert "apt-get install runc" in checks[1].advice
    wipe(host)


def test_a_missing_base_image_is_reported_and_does_not_prevent_a_start(bare: PodmanHost) -> None:
    settings = replace(bare.settings, python=Path("/bin/false"), packages=Path("/none"))
    settings = replace(settings, base_image="localhost/python:3-slim")
    sentences: list[str] = []
    host = PodmanHost(settings, sentences.append)
    host.ensure()
    trying, *_, making, failing = sentences
    assert "runtime" in trying
    assert making.startswith("making the base image localhost/python:3-slim")
    assert "/bin/false is not a Python" in failing
    base = next(check for check in check_host(host) if check.name == "base image")
    assert not base.ok
    assert "/bin/false is not a Python" in base.detail
    with pytest.raises(EngineError, match="/bin/false"):
        host.ensure_base()
    host.stop()


def test_steps_run_where_users_are_not_mapped(bare: PodmanHost, tmp_path: Path) -> None:
    host = PodmanHost(replace(bare.settings, userns=False))
    host.prepare()
    host.start()
    bench = Bench(host, tmp_path)
    spec = bench.step("id -u; echo out > /output/o")
    handle = bench.engine.prepare(spec)
    bench.engine.start(handle)
    lines: list[Line] = []
    assert bench.engine.wait(handle, lines.append) == Exit(0)
    bench.engine.remove(handle)
    assert texts(lines) == ["65532"]
    assert (spec.output / "o").stat().st_uid == 65532
    users = next(check for check in check_host(host) if check.name == "users")
    assert users.ok
    assert "by setting" in users.detail
    bench.engine.close()
    bench.builder.close()
    host.stop()


def test_without_debian_packages_the_base_image_is_made_from_a_python_of_the_host(
    bare: PodmanHost, tmp_path: Path
) -> None:
    host = PodmanHost(
        replace(bare.settings, packages=tmp_path / "none", base_image="localhost/python:3-slim")
    )
    host.ensure()
    bench = Bench(host, tmp_path)
    context = bench.folder("context")
    (context / "check.py").write_text(
        "import ctypes, json, pip, sqlite3, ssl, sys, threading, time\n"
        "for name in 'gcc_s.so.1 stdc++.so.6 pthread.so.0 dl.so.2 rt.so.1 util.so.1'.split():\n"
        "    ctypes.CDLL(f'lib{name}')\n"
        "threading.Thread(target=time.sleep, args=(9,), daemon=True).start()\n"
        "print(sys.version_info[:2], ssl.create_default_context().get_ca_certs() != [])\n"
    )
    (context / "Dockerfile").write_text(
        'FROM python:3-slim\nRUN pip3 --version\nCOPY check.py /\nCMD ["python3", "/check.py"]\n'
    )
    image = bench.builder.build(BuildOrder(1, context, "Dockerfile", "system", {}), lambda line: None)
    handle = bench.engine.prepare(replace(bench.step("true"), image=image.id))
    bench.engine.start(handle)
    lines: list[Line] = []
    assert bench.engine.wait(handle, lines.append) == Exit(0), texts(lines)
    assert texts(lines) == [f"{sys.version_info[:2]} True"]
    bench.engine.remove(handle)
    bench.engine.close()
    bench.builder.close()
    host.stop()


def test_two_hosts_do_not_see_each_other(bare: PodmanHost, podman_bench: Bench, tmp_path: Path) -> None:
    bare.prepare()
    bare.start()
    assert bare.instance != podman_bench.host.instance
    assert not bare.bridge.subnet.overlaps(podman_bench.host.bridge.subnet)
    handle = podman_bench.engine.prepare(podman_bench.step("true", run="theirs"))
    engine = engine_on(bare)
    assert engine.sweep(lambda run: False) == []
    engine.close()
    images = PodmanImages(Podman(bare.socket))
    assert images.find(handle.spec.image) is None
    images.close()
    podman_bench.engine.remove(handle)


def test_a_fork_that_a_killed_service_left_is_ended_before_the_next_one(
    bare: PodmanHost, tmp_path: Path
) -> None:
    """Podman leaves one that holds its locks when it is killed while it maps users."""
    bare.prepare()
    command = ["podman", "system", "service", "--time=0", f"unix://{bare.socket}"]
    (tmp_path / "system").write_text("read line")
    with subprocess.Popen(command, executable="/bin/sh", cwd=tmp_path, stdin=subprocess.PIPE) as fork:
        waiter = threading.Thread(target=fork.wait)
        waiter.start()
        bare.start()
        waiter.join(20)
        assert fork.returncode == -signal.SIGKILL
    bare.stop()


def test_a_service_is_started_again_until_it_is_stopped(bare: PodmanHost) -> None:
    bare.prepare()
    bare.start()
    first = bare.service_pid
    assert first is not None
    os.kill(first, signal.SIGKILL)
    until = time.monotonic() + 20
    while bare.service_pid == first and time.monotonic() < until:
        time.sleep(0.01)
    service = Podman(bare.socket)
    assert not service.call("get", "/images/json").failed
    service.close()
    bare.stop()
    assert bare.service_pid is None
