"""Steps in real containers of a worker keep the promises of every engine."""

from __future__ import annotations

from collections.abc import Iterator, Set
from pathlib import Path

import pytest

from chains.dask.engine import DaskEngine
from chains.engine.port import Engine, StepSpec
from chains.podman.image_store import PodmanImages
from chains.sharing.image_store import ImageGone
from chains.sharing.kept_run_files import KeptRunFiles
from storage.bytes.blobs import FileBlobs
from storage.bytes.seal import AesSeal
from tests.kit.clocks import WallClock
from tests.kit.dask.cluster import Cluster
from tests.kit.podman import Bench
from tests.kit.suites.chains.engines import SCRIPT, EngineSuite

pytestmark = [pytest.mark.podman, pytest.mark.sampled]


class HostImages:
    """ImageStore of workers that share the Podman of this host."""

    def __init__(self, images: PodmanImages) -> None:
        self._images = images

    def offer(self, image: str) -> None:
        """Do nothing: all have it."""

    def fetch(self, image: str) -> bool:
        """Fetch nothing: all have it, or nobody has (ImageGone)."""
        if self._images.find(image) is None:
            raise ImageGone(image)
        return False

    def list_images(self) -> Set[str]:
        """None: there is no store."""
        return set()

    def drop(self, image: str) -> None:
        """Do nothing."""


@pytest.fixture(scope="module")
def far(podman_bench: Bench, tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaskEngine]:
    folder: Path = tmp_path_factory.mktemp("cluster")
    files = KeptRunFiles(FileBlobs(f"osfs://{folder / 'blobs'}", WallClock()))
    images = HostImages(PodmanImages(podman_bench.podman))
    with Cluster(folder, images, files, AesSeal(bytes(32))) as cluster:
        cluster.add_worker(podman_bench.engine)
        engine = DaskEngine(
            cluster.address,
            cluster.certificates,
            images,
            files,
            cluster.seal,
            podman_bench.engine.command,
        )
        yield engine
        engine.close()


class TestDaskOverPodman(EngineSuite):
    @pytest.fixture(autouse=True)
    def keep(self, podman_bench: Bench, far: DaskEngine) -> None:
        self.bench, self.far = podman_bench, far

    def engine(self) -> Engine:
        return self.far

    def spec(self, **words: str) -> StepSpec:
        spec = self.bench.step(SCRIPT, run="1", seconds=20, memory=64 << 20)
        return StepSpec("1", "a", spec.image, words, spec.mounts, spec.output, spec.limits)
