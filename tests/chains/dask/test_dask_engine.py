"""The engine over workers keeps the promises of every engine."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from chains.dask.engine import DaskEngine
from chains.engine.port import Engine, StepSpec
from tests.kit.dask.fakes import FakeCluster
from tests.kit.suites.chains.engines import EngineSuite


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FakeCluster]:
    with FakeCluster(tmp_path_factory.mktemp("cluster")) as cluster:
        cluster.add_fake()
        cluster.add_fake()
        yield cluster


@pytest.fixture(scope="module")
def dask_engine(cluster: FakeCluster) -> Iterator[DaskEngine]:
    engine = cluster.engine()
    yield engine
    engine.close()


class TestDaskEngine(EngineSuite):
    @pytest.fixture(autouse=True)
    def keep(self, cluster: FakeCluster, dask_engine: DaskEngine) -> None:
        self.cluster = cluster
        self.dask = dask_engine

    def engine(self) -> Engine:
        return self.dask

    def spec(self, **words: str) -> StepSpec:
        return self.cluster.spec(**words)
