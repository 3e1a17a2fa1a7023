"""Fan-outs, holds, spaces, limits and odd names in containers of a worker: the same tests as on one host."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.chains.dask.suites import asking_for, expect_on_the_worker
from tests.chains.podman import (
    test_names_podman,
    test_postmortem_podman,
    test_runner_podman,
    test_whole_podman,
)
from tests.chains.podman.test_runner_podman import PodmanYard
from tests.kit.clocks import until
from tests.kit.dask.podman_cluster import PodmanCluster
from tests.kit.podman import Bench

pytestmark = [pytest.mark.podman, pytest.mark.repeats]


@pytest.fixture(scope="module")
def cluster(podman_bench: Bench, tmp_path_factory: pytest.TempPathFactory) -> Iterator[PodmanCluster]:
    with PodmanCluster(tmp_path_factory.mktemp("cluster"), podman_bench) as cluster:
        yield cluster


@pytest.fixture
def yard(cluster: PodmanCluster, podman_bench: Bench, tmp_path: Path) -> Iterator[PodmanYard]:
    yard = PodmanYard(tmp_path, podman_bench)
    with cluster.over(podman_bench.engine, cluster.images) as yard.engine:
        yield yard
        # A worker tidies up after a step when its runner has heard of the end.
        assert until(yard.containers, lambda left: not left) == []
        assert yard.leftovers() == []
    yard.database.close()


def test_containers_are_those_of_the_worker(cluster: PodmanCluster, yard: PodmanYard) -> None:
    yard.script("a", "exec sleep 60")
    expect_on_the_worker(cluster, yard)


globals().update(
    asking_for("yard", test_names_podman, test_postmortem_podman, test_runner_podman, test_whole_podman)
)
