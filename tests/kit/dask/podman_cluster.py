"""A cluster whose workers have the Podman of this host."""

from __future__ import annotations

from collections.abc import Set
from pathlib import Path

from chains.podman.image_store import PodmanImages
from chains.sharing.run_files import KeptRunFiles
from chains.sharing.shared_images import ImageGone
from storage.bytes.blobs import FileBlobs
from storage.bytes.seal import AesSeal
from tests.kit.clocks import WallClock
from tests.kit.dask.cluster import Cluster
from tests.kit.podman import Bench


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


class PodmanCluster(Cluster):
    """A cluster for steps in containers of a bench."""

    def __init__(self, folder: Path, bench: Bench) -> None:
        files = KeptRunFiles(FileBlobs(f"osfs://{folder / 'blobs'}", WallClock()))
        super().__init__(folder, HostImages(PodmanImages(bench.podman)), files, AesSeal(bytes(32)))
