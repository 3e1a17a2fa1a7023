"""The composition of the builder: settings to boxes in which images are built."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager

from chains.buildbox.box import BuildLimits
from chains.buildbox.builder import BoxBuilder
from chains.buildbox.package_index import serving
from chains.buildbox.package_sources import PackageSources
from chains.buildbox.pip_config import FILES, PackageConfiguration, configuration
from chains.buildbox.workshop import Beside, Workshop
from chains.engine.port import Network
from chains.host.host import PodmanHost
from chains.podman.engine import Podman
from chains.podman.image_store import PodmanImages
from handlers.settings import Settings


@contextmanager
def building(settings: Settings, host: PodmanHost) -> Iterator[BoxBuilder]:
    """The builder of this machine; what it works on when this ends is stopped, and nothing of it is left."""
    network = Network(settings.network)
    workshop = Workshop(
        host,
        Podman(host.socket),
        limits(settings),
        network,
        registries(settings.build_registries),
        package_index(configuration(FILES, os.environ), os.environ, network),
    )
    workshop.clear()
    builder = BoxBuilder(workshop, PodmanImages(Podman(host.socket)))
    try:
        yield builder
    finally:
        builder.close()


def limits(settings: Settings) -> BuildLimits:
    """What a build may use, by setting."""
    return BuildLimits(
        memory=settings.build_memory,
        cpus=settings.build_cpus,
        pids=settings.build_pids,
        seconds=settings.build_seconds,
        disk=settings.build_disk,
        cache=settings.build_cache,
    )


def registries(said: str) -> tuple[str, ...] | None:
    """The hosts that recipes may pull from; None when any will do."""
    if said.lower() in ("any", "true", "yes", "1"):
        return None
    return () if said.lower() in ("none", "false", "no", "0") else tuple(said.split())


def package_index(
    configured: PackageConfiguration | None, variables: Mapping[str, str], network: Network
) -> Beside | None:
    """What serves Python packages to a build: the sources of the host's pip, which are the public index when
    nobody named any. Builds without a network see those alone that the operator named.
    """
    found = configured or PackageConfiguration()
    if network is Network.NONE:
        found = found.own

    def serve(pid: int) -> AbstractContextManager[object]:
        # Sources of its own: no build learns by a number what another one has asked for.
        return serving(PackageSources(found, variables), pid)

    return serve if found.indexes or found.links else None
