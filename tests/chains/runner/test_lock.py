"""One runner at a time works in a folder."""

from __future__ import annotations

import threading
from pathlib import Path

from chains.files.folder_lock import hold_lock, try_lock
from tests.kit.runner import NEVER, RunnerSetup
from tests.kit.suites.chains import chain


def test_a_second_runner_waits_for_the_first_ones_end(tmp_path: Path) -> None:
    runner_setup = RunnerSetup(tmp_path, a={})
    second, stop, ready = runner_setup.runner(), threading.Event(), threading.Event()

    def wait_and_work() -> None:
        with hold_lock(tmp_path, stop) as mine:
            assert mine
            second.loop(stop, ready.set)

    thread = threading.Thread(target=wait_and_work)
    with hold_lock(tmp_path, stop), runner_setup.working():
        thread.start()
        assert not ready.wait(0.3)
    assert ready.wait(NEVER)
    run = runner_setup.order(chain("a"))
    assert runner_setup.end(run).worker == second.name
    stop.set()
    thread.join(NEVER)


def test_a_runner_stopped_while_it_waits_never_had_the_lock(tmp_path: Path) -> None:
    stop = threading.Event()
    with hold_lock(tmp_path, threading.Event()) as first:
        assert first
        threading.Timer(0.1, stop.set).start()
        with hold_lock(tmp_path, stop) as second, try_lock(tmp_path) as third:
            assert (second, third) == (False, False)
    with try_lock(tmp_path) as free:
        assert free
