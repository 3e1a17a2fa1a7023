"""Fake engines as workers have them: images by a list, steps scripted by their environment."""

from __future__ import annotations

import itertools
from collections.abc import Set
from pathlib import Path

from chains.dask.engine import DaskEngine
from chains.engine.port import Limits, Mount, StepSpec
from chains.sharing.run_files import KeptRunFiles
from chains.sharing.shared_images import ImageGone
from storage.bytes.blobs import FileBlobs
from storage.bytes.seal import AesSeal
from tests.kit.clocks import WallClock
from tests.kit.dask.cluster import Cluster
from tests.kit.fake_engine import FakeEngine, Images


class ListedImages:
    """ImageStore of engines in one process, which share their images."""

    def __init__(self, images: Images) -> None:
        self._images = images

    def offer(self, image: str) -> None:
        """Do nothing: all have it."""

    def fetch(self, image: str) -> bool:
        """Fetch nothing: all have it, or nobody has (ImageGone)."""
        if image not in self._images:
            raise ImageGone(f"no host has the image {image}")
        return False

    def list_images(self) -> Set[str]:
        """All of them."""
        return set(self._images)

    def drop(self, image: str) -> None:
        """Forget it."""
        self._images.pop(image, None)


class FakeCluster(Cluster):
    """A cluster whose workers have fake engines, and a runner's engine over it; `blobs` is its file store."""

    def __init__(self, folder: Path, blobs: str | None = None) -> None:
        self.fake_images: Images = {"image": {}}
        files = KeptRunFiles(FileBlobs(blobs or f"osfs://{folder / 'blobs'}", WallClock()))
        super().__init__(folder, ListedImages(self.fake_images), files, AesSeal(bytes(32)))
        self._steps = itertools.count(1)

    def add_fake(self, *, slots: int = 4, memory: int = 1 << 36) -> str:
        """Start a worker with a separate fake engine; its name."""
        return self.add_worker(FakeEngine(self.fake_images), slots=slots, memory=memory)

    def engine(self, patience: float = 20.0) -> DaskEngine:
        """An engine of a runner; who asks for it closes it."""
        return DaskEngine(
            self.address,
            self.certificates,
            self.images,
            self.files,
            self.seal,
            FakeEngine(self.fake_images).command,
            patience,
        )

    def spec(self, **words: str) -> StepSpec:
        """A step of run 1 with a separate /input and /output, which does what the words say."""
        return self.spec_in(self.folder / "steps" / str(next(self._steps)), **words)

    @staticmethod
    def spec_in(place: Path, **words: str) -> StepSpec:
        """The same, with its folders below a place."""
        source, output = place / "input", place / "output"
        source.mkdir(parents=True)
        output.mkdir()
        mounts = (Mount(source, "/input"), Mount(output, "/output", writable=True))
        return StepSpec("1", "a", "image", words, mounts, output, Limits(seconds=20))
