"""A daemon runs until it is stopped, and none of an earlier start goes on."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from chains.engine.port import EngineError
from chains.host.daemon import Daemon, DaemonProgram

ENVIRON = {"PATH": os.environ["PATH"]}


def program(folder: Path, *command: str) -> DaemonProgram:
    return DaemonProgram(command, ENVIRON, folder, folder / "log", "a-package")


def await_true(condition: Callable[[], object]) -> None:
    """Wait until something is so, ten seconds at most."""
    until = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.01)


def is_there(process: int) -> bool:
    return Path(f"/proc/{process}/cmdline").exists()


def test_one_that_dies_is_started_again_until_it_is_stopped(tmp_path: Path) -> None:
    daemon = Daemon(program(tmp_path, "sleep", "600.011"))
    daemon.start()
    first = daemon.pid
    daemon.start()
    assert first == daemon.pid
    assert first is not None
    os.kill(first, signal.SIGKILL)
    await_true(lambda: daemon.pid != first)
    second = daemon.pid
    daemon.terminate()
    await_true(lambda: daemon.pid != second)
    third = daemon.pid
    assert third is not None
    daemon.stop()
    assert (daemon.pid, is_there(third)) == (None, False)


def test_one_of_an_earlier_life_is_ended_first(tmp_path: Path) -> None:
    cleared: list[bool] = []
    with subprocess.Popen(["sleep", "600.012"]) as former:
        await_true(lambda: b"600.012" in Path(f"/proc/{former.pid}/cmdline").read_bytes())
        daemon = Daemon(program(tmp_path, "sleep", "600.012"), lambda: cleared.append(True))
        daemon.start()
        assert former.wait() == -signal.SIGKILL
        assert cleared == [True]
        daemon.stop()


def test_one_that_ends_at_once_is_started_again_less_and_less_often(tmp_path: Path) -> None:
    starts: list[float] = []
    daemon = Daemon(program(tmp_path, "sh", "-c", "exit 1"), lambda: starts.append(time.monotonic()))
    daemon.start()
    await_true(lambda: len(starts) == 4)
    daemon.stop()
    assert starts[3] - starts[2] > starts[2] - starts[1] > 0.3


def test_a_program_that_is_not_installed_is_named_with_its_package(tmp_path: Path) -> None:
    daemon = Daemon(program(tmp_path, "no-such-program"))
    with pytest.raises(EngineError, match=r"no-such-program cannot be run .*: apt-get install a-package"):
        daemon.start()
    assert daemon.pid is None


def test_its_last_words_are_kept(tmp_path: Path) -> None:
    daemon = Daemon(program(tmp_path, "sh", "-c", "echo no; exec sleep 600.013"))
    assert daemon.last_words() == "it said nothing"
    daemon.start()
    await_true(lambda: daemon.last_words() == "no")
    daemon.stop()


def test_one_that_hangs_is_ended_by_force(tmp_path: Path) -> None:
    daemon = Daemon(program(tmp_path, "sleep", "600.014"), patience=0.1)
    daemon.start()
    first = daemon.pid
    assert first is not None
    os.kill(first, signal.SIGSTOP)
    daemon.terminate()
    await_true(lambda: daemon.pid != first)
    second = daemon.pid
    assert second is not None
    os.kill(second, signal.SIGSTOP)
    daemon.stop()
    assert not (is_there(first) or is_there(second))
