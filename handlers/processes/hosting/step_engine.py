"""The engine of a runner's steps, by setting."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from chains.engine.port import Engine
from chains.host.host import PodmanHost
from chains.sharing.image_store import ImageStore, LocalImages
from handlers.processes.hosting.podman_host import podman_engine
from handlers.processes.world import House
from handlers.settings.settings import Settings


@dataclass(frozen=True, slots=True)
class StepEngine:
    """An engine; `mend` puts it right where it can, and tells what is wrong with it otherwise.

    `capacity` tells how many steps run at once just now (None: as many as the setting `slots` says).
    """

    engine: Engine
    mend: Callable[[], str | None] = lambda: None
    capacity: Callable[[], int] | None = None


@contextmanager
def engine_of(
    settings: Settings,
    house: House,
    host: PodmanHost,
    images: ImageStore | None,
    missed: Callable[[str], object],
) -> Iterator[StepEngine]:
    """The engine that the setting `engine` names; `missed` is told of images that are nowhere.

    `images` brings what other hosts built.
    """
    with podman_engine(host, missed, None if settings.has_dask else images) as local:
        if not settings.has_dask:
            yield StepEngine(local, host.mend)
            return
        # Whoever has one host does not pay for the library.
        from handlers.processes.hosting.dask_engine import dask_engine

        shared, service = images or LocalImages(), house.world.service
        with dask_engine(settings, shared, house.world.blobs, service.seal, local, missed) as remote:

            def mend() -> str | None:
                return host.mend() or remote.mend()

            yield StepEngine(remote, mend, lambda: remote.slots(settings.memory))
