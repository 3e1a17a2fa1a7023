"""The file store is away at every moment of a step: for some seconds nobody notices, for long a run fails."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from chains.engine.port import Cause, Exit
from chains.runs.records import Run
from chains.runs.retry import SECONDS
from chains.runs.states import Status
from tests.kit.clocks import until
from tests.kit.dask.fakes import FakeCluster
from tests.kit.dask.parts import SCRIPTS, LedgerEngine, begun
from tests.kit.outside.buckets import Buckets
from tests.kit.outside.valve import Valve
from tests.kit.runner import RunnerSetup
from tests.kit.suites.chains import chain

pytestmark = pytest.mark.repeats

SHORT, LONG = 6.0, SECONDS + 20.0
AGAIN = "that is no fault of the job: trigger it again with the same input"
STEPS = {
    "image": {},
    "image-long": {"ECHO": "on", "SLEEP": "4", "COPY": ""},
    "image-silent": {"ECHO": "on", "SLEEP": "4"},
    "image-quick": {"COPY": ""},
}


class StoredRunnerSetup(RunnerSetup):
    """A runner setup over a worker of two slots, and a bucket behind a valve that both hand files on by."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        super().__init__(folder)
        self.settings = replace(self.settings, slots=8)
        (folder / SCRIPTS).write_text(json.dumps(STEPS))
        buckets = Buckets()
        buckets.start()
        stack.callback(buckets.stop)
        self.valve = Valve(buckets.port)
        stack.callback(self.valve.remove)
        self.cluster = stack.enter_context(FakeCluster(folder, buckets.url("blobs", self.valve.port)))
        self.cluster.fake_images.update(STEPS)
        self.cluster.add_worker(LedgerEngine(folder / "worker"), slots=2)
        self.dask = self.cluster.engine()
        stack.callback(self.dask.close)
        self.engine = self.dask

    def ordered(self, step: str) -> Run:
        """A run of one step, whose input is the name of the step."""
        return self.order(chain(step), {"name": step})

    def speaks(self, run: Run) -> None:
        """Wait until the step of a run runs."""
        assert until(lambda: any(line.endswith(": on") for line in self.log(run)), bool, 30)


@pytest.fixture
def runner_setup(tmp_path: Path) -> Iterator[StoredRunnerSetup]:
    with ExitStack() as stack:
        yield StoredRunnerSetup(tmp_path, stack)


def lose(runner_setup: StoredRunnerSetup, seconds: float) -> list[Run]:
    """The ends of runs that are not ordered, not taken, and at work while the store is away."""
    running, blocking = runner_setup.ordered("long"), runner_setup.ordered("silent")
    for run in (running, blocking):
        runner_setup.speaks(run)
    # Its files are in the store; the worker has no slot for it.
    waiting = runner_setup.ordered("quick")
    assert until(lambda: len(runner_setup.dask._futures), lambda number: number == 3, 30) == 3
    runner_setup.valve.close()
    fresh = runner_setup.ordered("quick")
    threading.Timer(seconds, runner_setup.valve.open).start()
    assert runner_setup.end(blocking).status is Status.SUCCESS, "it left nothing"
    return [runner_setup.end(run) for run in (fresh, waiting, running)]


def test_a_store_that_is_away_for_some_seconds_is_waited_for(runner_setup: StoredRunnerSetup) -> None:
    with runner_setup.working():
        ended = lose(runner_setup, SHORT)
    assert [run.status for run in ended] == [Status.SUCCESS] * 3, [runner_setup.log(run) for run in ended]
    assert [runner_setup.output(run) for run in ended] == [b"quick", b"quick", b"long"]
    assert len(begun(runner_setup.cluster.folder)) == 4


def test_a_store_that_stays_away_ends_runs_in_words_and_begins_none(runner_setup: StoredRunnerSetup) -> None:
    with runner_setup.working():
        fresh, waiting, running = lose(runner_setup, LONG)
        for run in (fresh, waiting, running):
            assert run.status is Status.FAILED
            assert "file store does not answer" in runner_setup.log(run)[-1]
            assert AGAIN in runner_setup.log(run)[-1]
            assert run.output is None
        assert sorted(begun(runner_setup.cluster.folder)) == sorted(map(str, (running.key, running.key + 1)))
        runner_setup.valve.open()
        again = runner_setup.end(runner_setup.ordered("quick"))
        assert (again.status, runner_setup.output(again)) == (Status.SUCCESS, b"quick")


@pytest.mark.parametrize("seconds", [SHORT, LONG])
def test_what_a_step_left_is_waited_for_when_the_store_goes_after_its_end(
    runner_setup: StoredRunnerSetup, seconds: float
) -> None:
    spec = runner_setup.cluster.spec(WRITE="x=1")
    handle = runner_setup.dask.prepare(spec)
    runner_setup.dask.start(handle)
    (host,) = runner_setup.cluster.hosts.values()
    assert until(lambda: host.is_busy, lambda busy: not busy, 30) is False
    runner_setup.valve.close()
    threading.Timer(seconds, runner_setup.valve.open).start()
    ended = runner_setup.dask.wait(handle, lambda line: None)
    if seconds == SHORT:
        assert ended == Exit(0)
        assert (spec.output / "x").read_text() == "1"
    else:
        assert ended.cause is Cause.LOST
        assert "what it left cannot be fetched" in ended.detail
        assert ended.detail.endswith(AGAIN)
