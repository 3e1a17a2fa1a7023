"""Transcripts about runs, once more with steps on a worker of a Dask cluster: the answers are the same."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from chains.engine.fake import Images
from chains.engine.port import Engine
from handlers.settings.sources import load
from tests.kit.dask.fakes import FakeCluster, ListedImages
from tests.kit.service import Application, WatchedEngine, open_service
from tests.wire.conftest import QUICK
from tests.wire.player import play
from tests.wire.test_wire import TRANSCRIPTS
from tests.wire.transcript import Scenario, scenarios

pytestmark = pytest.mark.repeats

ABOUT_RUNS = ("composed", "holds", "jobs", "mounts", "results", "runs", "states", "variables")


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FakeCluster]:
    with FakeCluster(tmp_path_factory.mktemp("cluster")) as cluster:
        yield cluster


@pytest.fixture
def far_service(cluster: FakeCluster, migrated: Path, tmp_path: Path) -> Iterator[Application]:
    def over(engine: WatchedEngine, images: Images) -> AbstractContextManager[Engine]:
        return cluster.over(engine, ListedImages(images))

    shutil.copy(migrated, tmp_path / "curlew.db")
    with open_service(load({}, data=str(tmp_path), **QUICK), over=over) as service:
        yield service


@pytest.mark.parametrize(
    "scenario", [each for file in TRANSCRIPTS if file.stem in ABOUT_RUNS for each in scenarios(file)], ids=str
)
def test_transcript_over_a_worker(scenario: Scenario, far_service: Application) -> None:
    play(scenario, far_service)
