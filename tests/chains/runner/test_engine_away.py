"""A runner whose engine is away says so, and leaves work to wait."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from chains.engine.port import EngineAway, EngineError, Handle, StepSpec
from chains.runner.launch import AGAIN
from chains.runs.states import Status
from tests.kit.fake_engine import FakeEngine
from tests.kit.runner import NEVER, RunnerSetup
from tests.kit.suites.chains import chain


def test_nothing_is_taken_while_the_engine_is_away_and_the_book_says_so(tmp_path: Path) -> None:
    runner_setup = RunnerSetup(tmp_path, a={})
    with runner_setup.working() as runner:
        runner_setup.trouble = "Podman is gone"
        until(
            lambda: (
                [worker.trouble for worker in runner_setup.run_store.leases.workers()] == ["Podman is gone"]
            )
        )
        run = runner_setup.order(chain("a"))
        build = runner_setup.builds.queue(7, ("main",), "refs/heads/main", "c" * 40, "bob")
        time.sleep(0.3)
        found, queued = runner_setup.run_store.reader.by_key(run.key), runner_setup.builds.get(build)
        assert found is not None
        assert queued is not None
        assert (found.worker, queued.worker) == (None, None)
        runner_setup.trouble = None
        assert runner_setup.end(run).worker == runner.name
        until(lambda: [worker.trouble for worker in runner_setup.run_store.leases.workers()] == [None])


def test_images_are_built_while_the_engine_of_steps_is_away(tmp_path: Path) -> None:
    runner_setup = RunnerSetup(tmp_path, a={})
    runner_setup.trouble, runner_setup.repair_builder = "no worker is at the scheduler", lambda: None
    run = runner_setup.order(chain("a"))
    with runner_setup.working():
        build = runner_setup.builds.queue(7, ("main",), "refs/heads/main", "c" * 40, "bob")
        until(lambda: [made.id for made in runner_setup.built] == [build])
        found = runner_setup.run_store.reader.by_key(run.key)
        assert found is not None and found.worker is None


def test_steps_are_run_while_no_image_can_be_made(tmp_path: Path) -> None:
    runner_setup = RunnerSetup(tmp_path, a={})
    runner_setup.repair_builder = lambda: "Podman is gone"
    with runner_setup.working():
        waits = runner_setup.builds.queue(7, ("main",), "refs/heads/main", "c" * 40, "bob")
        assert runner_setup.end(runner_setup.order(chain("a"))).status is Status.SUCCESS
        queued = runner_setup.builds.get(waits)
        assert queued is not None and queued.worker is None


def until(done: Callable[[], object]) -> None:
    deadline = time.monotonic() + NEVER
    while not done():
        assert time.monotonic() < deadline
        time.sleep(0.01)


class Failing(FakeEngine):
    """An engine that makes no container."""

    def __init__(self, error: EngineError) -> None:
        super().__init__({"image-a": {}})
        self.error = error

    def prepare(self, spec: StepSpec) -> Handle:
        raise self.error


@pytest.mark.parametrize("error, again", [(EngineAway("it is away"), True), (EngineError("no such"), False)])
def test_a_run_that_failed_because_of_the_engine_says_so(
    tmp_path: Path, error: EngineError, again: bool
) -> None:
    runner_setup = RunnerSetup(tmp_path, a={})
    runner_setup.engine = Failing(error)
    run = runner_setup.run(chain("a"))
    assert run.status is Status.FAILED
    said = next(line for line in runner_setup.log(run) if "could not be started" in line)
    assert str(error) in said
    assert (AGAIN in said) is again
