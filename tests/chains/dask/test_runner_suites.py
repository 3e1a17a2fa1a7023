"""What a runner does with steps on its own host it does with them on a worker: the same tests, unchanged."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.chains.dask.suites import asking_for, expect_on_the_worker
from tests.chains.runner import (
    test_cancel,
    test_fair_slots,
    test_fan_out,
    test_holds,
    test_kept_files,
    test_postmortem,
    test_runner,
    test_turns,
)
from tests.kit.dask.fakes import FakeCluster, ListedImages
from tests.kit.fake_engine import FakeEngine
from tests.kit.runner import RunnerSetup, RunnerSetupOf

pytestmark = pytest.mark.repeats

SUITES = (
    test_cancel, test_fair_slots, test_fan_out, test_holds, test_kept_files, test_postmortem, test_runner,
    test_turns,
)  # fmt: skip


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FakeCluster]:
    with FakeCluster(tmp_path_factory.mktemp("cluster")) as cluster:
        yield cluster


@pytest.fixture
def runner_setup_of(cluster: FakeCluster, tmp_path: Path) -> Iterator[RunnerSetupOf]:
    with ExitStack() as stack:

        def make(**scripts: Mapping[str, str]) -> RunnerSetup:
            runner_setup = RunnerSetup(tmp_path, **scripts)
            far = cluster.over(FakeEngine(runner_setup.images), ListedImages(runner_setup.images))
            runner_setup.engine = stack.enter_context(far)
            return runner_setup

        yield make


def test_steps_run_on_the_worker(cluster: FakeCluster, runner_setup_of: RunnerSetupOf) -> None:
    runner_setup = runner_setup_of(a={"SLEEP": "60"})
    expect_on_the_worker(cluster, runner_setup)


globals().update(asking_for("runner_setup_of", *SUITES))
