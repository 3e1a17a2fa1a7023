"""The engine of a runner's steps, from the settings."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from chains.engine.port import Engine
from chains.host.host import PodmanHost
from chains.runner.ports import EngineCare
from chains.sharing.shared_images import ImageStore, LocalImages
from handlers.processes.hosting.podman_host import podman_engine
from handlers.processes.world import LiveWorld
from handlers.settings.settings import Settings


@dataclass(frozen=True, slots=True)
class StepEngine:
    """An engine, and its maintenance."""

    engine: Engine
    care: EngineCare


@contextmanager
def engine_of(
    settings: Settings,
    live_world: LiveWorld,
    host: PodmanHost,
    images: ImageStore | None,
    missed: Callable[[str], object],
) -> Iterator[StepEngine]:
    """Yield the engine in the setting `engine`; `missed` gets the images that exist nowhere.

    `images` pulls images that other hosts built.
    """
    with podman_engine(host, missed, None if settings.has_dask else images) as local:
        if not settings.has_dask:
            yield StepEngine(local, EngineCare(host.repair))
            return
        # Installations with one host do not load the library.
        from handlers.processes.hosting.dask_engine import dask_engine

        shared, service = images or LocalImages(), live_world.world.service
        with dask_engine(settings, shared, live_world.world.blobs, service.seal, local, missed) as remote:

            def repair() -> str | None:
                return host.repair() or remote.repair()

            # Images are built here, whatever happens to the workers.
            yield StepEngine(remote, EngineCare(repair, host.repair, lambda: remote.slots(settings.memory)))
