"""Steps in real containers of a worker keep the promises of every engine."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from chains.dask.engine import DaskEngine
from chains.engine.port import Engine, StepSpec
from tests.kit.dask.podman_cluster import PodmanCluster
from tests.kit.podman import Bench
from tests.kit.suites.chains.engines import SCRIPT, EngineSuite

pytestmark = [pytest.mark.podman, pytest.mark.repeats]


@pytest.fixture(scope="module")
def far(podman_bench: Bench, tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaskEngine]:
    with (
        PodmanCluster(tmp_path_factory.mktemp("cluster"), podman_bench) as cluster,
        cluster.over(podman_bench.engine, cluster.images) as engine,
    ):
        yield engine


class TestDaskOverPodman(EngineSuite):
    @pytest.fixture(autouse=True)
    def keep(self, podman_bench: Bench, far: DaskEngine) -> None:
        self.bench, self.far = podman_bench, far

    def engine(self) -> Engine:
        return self.far

    def spec(self, **words: str) -> StepSpec:
        spec = self.bench.step(SCRIPT, run="1", seconds=20, memory=64 << 20)
        return StepSpec("1", "a", spec.image, words, spec.mounts, spec.output, spec.limits)
