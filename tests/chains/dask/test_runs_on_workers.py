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
from tests.kit.runner import Yard
from tests.kit.suites.chains import chain


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FakeCluster]:
    with FakeCluster(tmp_path_factory.mktemp("cluster")) as cluster:
        cluster.add_fake(slots=3)
        cluster.add_fake(slots=3)
        yield cluster


class DaskYard(Yard):
    """A yard whose steps run on the workers of a cluster."""

    def __init__(self, folder: Path, cluster: FakeCluster, **scripts: dict[str, str]) -> None:
        super().__init__(folder, **scripts)
        cluster.fake_images.update(self.images)
        self.dask: DaskEngine = cluster.engine()
        self.engine = self.dask
        self.capacity = lambda: self.dask.slots(self.settings.policy.limits.memory)


@pytest.fixture
def yards(tmp_path: Path, cluster: FakeCluster) -> Iterator[list[DaskYard]]:
    made: list[DaskYard] = []
    yield made
    for yard in made:
        yard.dask.close()


def test_a_fan_out_runs_on_all_hosts_and_what_no_file_may_be_is_dropped_in_the_same_words(
    tmp_path: Path, cluster: FakeCluster, yards: list[DaskYard]
) -> None:
    yard = DaskYard(
        tmp_path, cluster, a={"WRITE": "b=2;a/x=1;c=3", "LINK": "link"}, b={"COPY": "b", "ECHO": "hello"},
        c={"COPY": ""},
    )  # fmt: skip
    yards.append(yard)
    run = yard.run(fanned("a", "b", "c", over="b"))
    assert run.status is Status.SUCCESS, yard.log(run)
    assert unzipped(yard.output(run)) == {"a/x": b"1b\n", "b": b"2b\n", "c": b"3b\n"}
    log = yard.log(run)
    assert {f"b[{number}]: hello" for number in range(3)} <= set(log)
    assert "a: dropped link from /output: it is a link" in log
    assert yard.leftovers() == []
    assert all(host.runs() == set() for host in cluster.hosts.values())


def test_a_run_is_canceled_on_the_host_where_it_runs(
    tmp_path: Path, cluster: FakeCluster, yards: list[DaskYard]
) -> None:
    yard = DaskYard(tmp_path, cluster, a={"SLEEP": "60"}, b={})
    yards.append(yard)
    with yard.working():
        run = yard.order(chain("a", "b"))
        yard.running(run, "a")
        assert yard.cancel(run) is Status.CANCELING
        assert yard.end(run).status is Status.CANCELED
        assert until(lambda: [host.runs() for host in cluster.hosts.values()], lambda left: not any(left))
    assert yard.steps(run) == {"a": "canceled", "b": "canceled"}


def test_a_name_that_no_file_may_have_fails_the_run_as_on_one_host(
    tmp_path: Path, cluster: FakeCluster, yards: list[DaskYard]
) -> None:
    yard, local = (
        DaskYard(tmp_path / "far", cluster, a={"WRITE": "a\tb=1"}),
        Yard(tmp_path / "near", a={"WRITE": "a\tb=1"}),
    )
    yards.append(yard)
    far, near = yard.run(chain("a")), local.run(chain("a"))
    assert far.status is near.status is Status.FAILED
    assert "cannot be kept" in yard.log(far)[-1]
    assert yard.log(far)[-1] == local.log(near)[-1]


def test_a_runner_uses_the_slots_of_all_workers_as_they_come(
    tmp_path: Path, cluster: FakeCluster, yards: list[DaskYard]
) -> None:
    yard = DaskYard(tmp_path, cluster, a={"SLEEP": "0"})
    yards.append(yard)
    memory = yard.settings.policy.limits.memory
    assert yard.dask.slots(memory) == 6
    assert yard.dask.slots(1 << 35) == 4
    yard.settings = replace(yard.settings, slots=1)
    with yard.working() as runner:
        assert (runner._slots, yard.settings.spare) == (5, 1)
        name = cluster.add_fake(slots=2)
        assert until(lambda: runner._slots, lambda slots: slots == 7) == 7
        cluster.end_worker(name)
        assert until(lambda: runner._slots, lambda slots: slots == 5) == 5
