"""A container watched from the host, played by plain processes."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from chains.engine.port import Cause, EngineError, Exit, Limits
from chains.podman.cgroup import Cgroup
from chains.podman.watch import Traces, Watch


class Played:
    """A step's process, its keeper, and the files that Podman would keep for them."""

    def __init__(self, folder: Path, stack: ExitStack, command: str) -> None:
        self.folder = folder
        (folder / "output").mkdir()
        self.pipe = folder / "exec.fifo"
        os.mkfifo(self.pipe)
        held = os.open(self.pipe, os.O_RDWR)
        self.process = stack.enter_context(
            subprocess.Popen(["sh", "-c", command], stdin=subprocess.PIPE, pass_fds=[held])
        )
        os.close(held)
        self.keeper = stack.enter_context(subprocess.Popen(["sleep", "60"]))
        group = Cgroup(folder / "group", folder / "group", unified=True)
        self.traces = Traces(self.process.pid, self.keeper.pid, folder / "log", folder / "exit", group)

    def watch(self, **limits: float) -> Watch:
        return Watch(self.traces, Limits(**limits), self.folder / "output")  # type: ignore[arg-type]

    def end(self, code: int | None = None) -> None:
        """Let the process and then its keeper go, which leaves `code`."""
        if code is not None:
            self.traces.exit_file.write_text(str(code))
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()
        self.keeper.kill()
        self.keeper.wait()


@pytest.fixture
def played(tmp_path: Path) -> Iterator[Played]:
    with ExitStack() as stack:
        made = Played(tmp_path, stack, "read line")
        yield made
        made.process.kill()
        made.keeper.kill()


def nothing(_: object) -> None:
    """Nobody listens."""


def test_the_code_is_what_the_keeper_left(played: Played) -> None:
    watch = played.watch()
    watch.start(lambda: None)
    played.end(3)
    assert watch.wait(nothing, lambda: None) == Exit(3)
    watch.close()


def test_without_an_exit_code_podman_is_queried(played: Played) -> None:
    watch = played.watch()
    watch.start(lambda: None)
    played.end()
    assert watch.wait(nothing, lambda: 5) == Exit(5)
    watch.close()


def test_when_nobody_knows_it_is_lost(played: Played) -> None:
    watch = played.watch()
    watch.start(lambda: None)
    played.end()
    ended = watch.wait(nothing, lambda: None)
    assert (ended.cause, ended.succeeded) == (Cause.LOST, False)
    watch.close()


def test_a_kill_that_nobody_here_sent_is_want_of_memory_when_the_group_is_gone(played: Played) -> None:
    watch = played.watch()
    watch.start(lambda: None)
    played.end(128 + signal.SIGKILL)
    assert watch.wait(nothing, lambda: None).cause is Cause.MEMORY
    watch.close()


def fail() -> None:
    """As Podman that refuses."""
    raise EngineError("no")


def test_what_has_ended_already_is_not_started(played: Played) -> None:
    watch = played.watch()
    played.end(0)
    watch.start(fail)
    assert watch.wait(nothing, lambda: None) == Exit(0)
    watch.close()


def test_a_start_that_failed_after_all_is_an_error(played: Played) -> None:
    watch = played.watch()
    with pytest.raises(EngineError, match="no"):
        watch.start(fail)
    played.end(0)
    assert watch.wait(nothing, lambda: None) == Exit(0)
    watch.close()


def test_a_start_that_failed_once_the_command_was_let_run_is_a_start(played: Played) -> None:
    watch = played.watch()

    def let_run_and_fail() -> None:
        played.pipe.unlink()
        raise EngineError("the service died")

    watch.start(let_run_and_fail)
    played.end(5)
    assert watch.wait(nothing, lambda: None) == Exit(5)
    watch.close()


def test_the_code_is_kept_when_podman_has_not_heard_of_the_start(played: Played) -> None:
    watch = played.watch()
    watch.start(lambda: None)
    played.end(6)
    watch.await_code()
    played.traces.exit_file.unlink()
    assert watch.wait(nothing, lambda: None) == Exit(6)
    watch.close()


def test_a_stop_does_not_wait_for_a_start_that_hangs(played: Played) -> None:
    watch, hangs, killed = played.watch(), threading.Event(), threading.Event()

    def hang() -> None:
        hangs.set()
        assert killed.wait(60)
        raise EngineError("the service never answered")

    starting = threading.Thread(target=watch.start, args=(hang,))
    starting.start()
    assert hangs.wait(60)
    watch.stop(30)
    assert played.process.wait(60) == -signal.SIGKILL
    killed.set()
    starting.join()
    played.end()
    assert watch.wait(nothing, lambda: None).cause is Cause.STOPPED
    watch.close()


def test_a_start_that_failed_once_it_was_done_is_a_start(played: Played) -> None:
    watch = played.watch()

    def end_and_fail() -> None:
        played.end(4)
        raise EngineError("the service died")

    watch.start(end_and_fail)
    assert watch.wait(nothing, lambda: None) == Exit(4)
    watch.close()


def test_a_keeper_gone_first_takes_the_process_with_it(played: Played) -> None:
    watch = played.watch()
    watch.start(lambda: None)
    played.keeper.kill()
    played.keeper.wait()
    reaper = threading.Thread(target=played.process.wait)
    reaper.start()
    assert watch.wait(nothing, lambda: 0).cause is Cause.LOST
    reaper.join()
    assert played.process.returncode == -signal.SIGKILL
    watch.close()


def test_a_container_that_is_gone_cannot_be_watched(played: Played) -> None:
    played.end(0)
    with pytest.raises(OSError, match="No such process"):
        played.watch()


def test_a_closed_watch_sends_nothing(played: Played) -> None:
    watch = played.watch()
    watch.close()
    watch.close()
    watch.stop(0)
    watch.kill()
    assert played.process.poll() is None


def test_a_keeper_is_dismissed_with_what_waits_to_tidy_up(played: Played) -> None:
    led = ["sh", "-c", "sleep 61.5 & echo $!; wait"]
    with subprocess.Popen(led, stdout=subprocess.PIPE, text=True, start_new_session=True) as keeper:
        assert keeper.stdout is not None
        child = os.pidfd_open(int(keeper.stdout.readline()))
        watch = Watch(replace(played.traces, conmon=keeper.pid), Limits(), played.folder / "output")
        watch.dismiss()
        assert keeper.wait(10) == -signal.SIGKILL
        assert select.select([child], [], [], 10)[0]
        os.close(child)
        watch.dismiss()
        watch.close()


def test_a_keeper_that_leads_no_group_is_not_dismissed_with_its_neighbours(played: Played) -> None:
    watch = played.watch()
    watch.dismiss()
    watch.close()
    watch.dismiss()
    assert played.keeper.poll() is None
