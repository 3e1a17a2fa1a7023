"""What the kernel says of processes and their control groups, in both versions of them."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from chains.podman.cgroup import Cgroup, differences, handles_term, has_begun, outer_root


def folder(path: Path, **files: str) -> Path:
    path.mkdir()
    for name, text in files.items():
        (path / name.replace("_dot_", ".")).write_text(text)
    return path


def test_version_2_has_all_in_one_folder(tmp_path: Path) -> None:
    here = folder(
        tmp_path / "g",
        memory_dot_max="1048576\n",
        pids_dot_max="max\n",
        memory_dot_events="low 0\noom 2\noom_kill 1\n",
    )
    group = Cgroup(here, here, unified=True)
    assert (group.memory_limit(), group.pids_limit(), group.memory_kills()) == (1048576, None, 1)


def test_version_1_has_a_folder_for_each(tmp_path: Path) -> None:
    memory = folder(
        tmp_path / "m",
        memory_dot_limit_in_bytes="9223372036854771712\n",
        memory_dot_oom_control="oom_kill_disable 0\nunder_oom 0\noom_kill 0\n",
    )
    pids = folder(tmp_path / "p", pids_dot_max="64\n")
    group = Cgroup(memory, pids, unified=False)
    assert (group.memory_limit(), group.pids_limit(), group.memory_kills()) == (None, 64, 0)


def test_a_group_that_is_gone_knows_nothing(tmp_path: Path) -> None:
    gone = Cgroup(tmp_path / "gone", tmp_path / "gone", unified=True)
    assert (gone.memory_limit(), gone.pids_limit(), gone.memory_kills()) == (None, None, None)


def test_a_kernel_that_counts_no_kills_does_not_say_none(tmp_path: Path) -> None:
    here = folder(tmp_path / "g", memory_dot_events="low 0\n")
    assert Cgroup(here, here, unified=True).memory_kills() is None


def test_this_process_is_root_and_not_confined_like_a_step() -> None:
    assert outer_root(os.getpid()) == 0
    found = differences(os.getpid(), memory=1 << 20, pids=3, first_id=100_000)
    assert [text.split(" is ")[0] for text in found] == [
        "the kernel's memory limit",
        "the kernel's limit of processes",
        "the host's id of its root",
    ]


def test_a_process_that_is_gone_is_an_error_or_has_ended() -> None:
    with subprocess.Popen(["true"]) as ended:
        ended.wait()
    with pytest.raises(OSError, match="No such"):
        Cgroup.of(ended.pid)
    assert has_begun(ended.pid)
    assert handles_term(ended.pid)


def test_a_process_has_begun_when_the_pipe_it_waits_at_is_removed(tmp_path: Path) -> None:
    pipe = tmp_path / "exec.fifo"
    os.mkfifo(pipe)
    held = os.open(pipe, os.O_RDWR)
    with subprocess.Popen(["sleep", "60"], pass_fds=[held]) as process:
        os.close(held)
        assert not has_begun(process.pid)
        pipe.unlink()
        assert has_begun(process.pid)
        process.kill()


def test_only_an_init_that_waits_for_signals_reacts_to_them(tmp_path: Path) -> None:
    assert not handles_term(os.getpid())
    init = tmp_path / "podman-init"
    init.symlink_to("/bin/sleep")
    old = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    try:
        with subprocess.Popen([init, "60"]) as process:
            signal.pthread_sigmask(signal.SIG_SETMASK, old)
            try:
                # An exec closes what tells Popen of it a moment before it gives the process its new name.
                deadline = time.monotonic() + 10
                while not handles_term(process.pid):
                    assert time.monotonic() < deadline
            finally:
                process.kill()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, old)
