"""The builder according to the settings, with its limits, package index and shared images."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from uv import find_uv_bin

from chains.buildbox.box import BuildLimits
from chains.buildbox.builder import BoxBuilder
from chains.buildbox.workshop import Workshop
from chains.builds.packages import INSTALLER
from chains.engine.port import Network
from chains.host.host import PodmanHost
from chains.package_proxy.apt_relay import PackageHosts, relay
from chains.package_proxy.client_config import FILES, HOSTS, PackageConfiguration, configuration
from chains.package_proxy.loopback import BuildProxy
from chains.package_proxy.package_sources import PackageSources, index
from chains.package_proxy.package_store import PackageStore
from chains.podman.api import Podman
from chains.podman.image_store import PodmanImages, Registry, RegistryImages
from chains.sharing.shared_images import ImageStore
from handlers.processes.offered_images import NOTHING, registries
from handlers.settings.settings import Settings


@contextmanager
def building(settings: Settings, host: PodmanHost) -> Iterator[BoxBuilder]:
    """Yield the builder of this machine; at the end stop its builds and remove what they left."""
    network = Network(settings.network)
    hosts = package_hosts(settings.build_hosts, os.environ, network)
    packages = PackageStore(host.folders.state / "packages", settings.build_packages)
    proxies = (
        package_index(configuration(FILES, os.environ), os.environ, network, packages),
        relay(hosts) if hosts else None,
    )
    workshop = Workshop(
        host,
        Podman(host.socket),
        limits(settings),
        network,
        registries(settings.build_registries),
        [proxy for proxy in proxies if proxy],
        {INSTALLER: Path(find_uv_bin())},
    )
    workshop.clear()
    builder = BoxBuilder(workshop, PodmanImages(Podman(host.socket)))
    try:
        yield builder
    finally:
        builder.close()


def image_store(settings: Settings, host: PodmanHost) -> ImageStore | None:
    """Return the store that shares images between the hosts of an installation; None without one."""
    if not settings.registry_url:
        return None
    registry = Registry(
        settings.registry_url, settings.registry_ca, settings.registry_auth, settings.registry_seconds
    )
    local = PodmanImages(Podman(host.socket))
    return RegistryImages(registry, local, host.program.run, host.program.run_skopeo)


def limits(settings: Settings) -> BuildLimits:
    """Return the limits of a build, from the settings."""
    return BuildLimits(
        memory=settings.build_memory,
        cpus=settings.build_cpus,
        pids=settings.build_pids,
        seconds=settings.build_seconds,
        disk=settings.build_disk,
        cache=settings.build_cache,
    )


def package_index(
    configured: PackageConfiguration | None,
    variables: Mapping[str, str],
    network: Network,
    store: PackageStore | None = None,
) -> BuildProxy | None:
    """Return the index of Python packages for builds: the sources of the host's pip, else the public index.

    Builds without a network may use only the sources that the operator named.
    """
    found = configured or PackageConfiguration()
    if network is Network.NONE:
        found = found.own
    return index(lambda: PackageSources(found, variables, store)) if found.indexes or found.links else None


def package_hosts(said: str, variables: Mapping[str, str], network: Network) -> PackageHosts | None:
    """Return the hosts of apt's packages: the named ones, else the public ones with a network.

    Hosts that the operator named may have private addresses, like the indexes of pip.
    """
    if said.lower() in NOTHING:
        return None
    if named := frozenset(said.lower().split()):
        return PackageHosts(named, dict(variables), permits=lambda address: True)
    return None if network is Network.NONE else PackageHosts(frozenset(HOSTS), dict(variables))
