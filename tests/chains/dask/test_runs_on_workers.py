"""Whole runs over workers end as they do on one host, and their runner uses as many slots as there are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from chains.dask.engine import DaskEngine
from chains.runs.states import Status
from tests.chains.runner.test_fan_out import fanned, unzipped
from tests.kit.clocks import until
from tests.kit.dask.fakes import FakeCluster
from tests.kit.runner import RunnerSetup
from tests.kit.suites.chains import chain


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FakeCluster]:
    with FakeCluster(tmp_path_factory.mktemp("cluster")) as cluster:
        cluster.add_fake(slots=3)
        cluster.add_fake(slots=3)
        yield cluster


class DaskRunnerSetup(RunnerSetup):
    """A runner setup whose steps run on the workers of a cluster."""

    def __init__(self, folder: Path, cluster: FakeCluster, **scripts: dict[str, str]) -> None:
        super().__init__(folder, **scripts)
        cluster.fake_images.update(self.images)
        self.dask: DaskEngine = cluster.engine()
        self.engine = self.dask
        self.capacity = lambda: self.dask.slots(self.settings.policy.limits.memory)


@pytest.fixture
def setups(tmp_path: Path, cluster: FakeCluster) -> Iterator[list[DaskRunnerSetup]]:
    made: list[DaskRunnerSetup] = []
    yield made
    for runner_setup in made:
        runner_setup.dask.close()


def test_a_fan_out_runs_on_all_hosts_and_what_no_file_may_be_is_dropped_in_the_same_words(
    tmp_path: Path, cluster: FakeCluster, setups: list[DaskRunnerSetup]
) -> None:
    runner_setup = DaskRunnerSetup(
        tmp_path, cluster, a={"WRITE": "b=2;a/x=1;c=3", "LINK": "link"}, b={"COPY": "b", "ECHO": "hello"},
        c={"COPY": ""},
    )  # fmt: skip
    setups.append(runner_setup)
    run = runner_setup.run(fanned("a", "b", "c", over="b"))
    assert run.status is Status.SUCCESS, runner_setup.log(run)
    assert unzipped(runner_setup.output(run)) == {"a/x": b"1b\n", "b": b"2b\n", "c": b"3b\n"}
    log = runner_setup.log(run)
    assert {f"b[{number}]: hello" for number in range(3)} <= set(log)
    assert "a: dropped link from /output: it is a link" in log
    assert runner_setup.leftovers() == []
    assert all(host.runs() == set() for host in cluster.hosts.values())


def test_a_run_is_canceled_on_the_host_where_it_runs(
    tmp_path: Path, cluster: FakeCluster, setups: list[DaskRunnerSetup]
) -> None:
    runner_setup = DaskRunnerSetup(tmp_path, cluster, a={"SLEEP": "60"}, b={})
    setups.append(runner_setup)
    with runner_setup.working():
        run = runner_setup.order(chain("a", "b"))
        runner_setup.running(run, "a")
        assert runner_setup.cancel(run) is Status.CANCELING
        assert runner_setup.end(run).status is Status.CANCELED
        assert until(lambda: [host.runs() for host in cluster.hosts.values()], lambda left: not any(left))
    assert runner_setup.steps(run) == {"a": "canceled", "b": "canceled"}


def test_a_name_that_no_file_may_have_fails_the_run_as_on_one_host(
    tmp_path: Path, cluster: FakeCluster, setups: list[DaskRunnerSetup]
) -> None:
    runner_setup, local = (
        DaskRunnerSetup(tmp_path / "far", cluster, a={"WRITE": "a\tb=1"}),
        RunnerSetup(tmp_path / "near", a={"WRITE": "a\tb=1"}),
    )
    setups.append(runner_setup)
    far, near = runner_setup.run(chain("a")), local.run(chain("a"))
    assert far.status is near.status is Status.FAILED
    assert "cannot be stored" in runner_setup.log(far)[-1]
    assert runner_setup.log(far)[-1] == local.log(near)[-1]


def test_a_runner_uses_the_slots_of_all_workers_as_they_come(
    tmp_path: Path, cluster: FakeCluster, setups: list[DaskRunnerSetup]
) -> None:
    runner_setup = DaskRunnerSetup(tmp_path, cluster, a={"SLEEP": "0"})
    setups.append(runner_setup)
    memory = runner_setup.settings.policy.limits.memory
    assert runner_setup.dask.slots(memory) == 6
    assert runner_setup.dask.slots(1 << 35) == 4
    runner_setup.settings = replace(runner_setup.settings, slots=1)
    with runner_setup.working() as runner:
        assert (runner._slots, runner_setup.settings.spare) == (5, 1)
        name = cluster.add_fake(slots=2)
        assert until(lambda: runner._slots, lambda slots: slots == 7) == 7
        cluster.end_worker(name)
        assert until(lambda: runner._slots, lambda slots: slots == 5) == 5
