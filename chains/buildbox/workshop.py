"""Workshop: the builder's image, base store, repo disks and proxies that all boxes of a host share."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from chains.buildbox import builder_image, doctor
from chains.buildbox.box import FIRST_ID, BuildBox, BuildLimits, profile, sweep, write_etc
from chains.buildbox.import_check import ImportCheck
from chains.buildbox.shared_store import HostImage, SharedStore
from chains.buildbox.volumes import Volumes
from chains.engine.port import EngineError, Mount, Network
from chains.host.host import PodmanHost
from chains.host.program import BUSYBOX_IMAGE
from chains.package_proxy.loopback import BuildProxy
from chains.podman.api import Podman
from chains.podman.confined_containers import ConfinedContainers
from chains.podman.leftovers import share, unmount

UNFENCED = "install iptables and run as root, or set network to none"


@dataclass(frozen=True, slots=True)
class Equipment:
    """A workshop ready for use: its box, import check, base store, and the builder's configuration mounts."""

    box: BuildBox
    imports: ImportCheck
    base: SharedStore
    etc: tuple[Mount, ...]


class Workshop:
    """The shared parts of builds, made ready by the first build, not at the start of a runner.

    `registries` are the hosts that recipes may pull from; None means any. `proxies` are served in the
    namespaces of a build. `tools` are programs of the host, by the paths at which recipes find them.
    """

    def __init__(
        self,
        host: PodmanHost,
        podman: Podman,
        limits: BuildLimits,
        network: Network = Network.NONE,
        registries: Sequence[str] | None = (),
        proxies: Sequence[BuildProxy] = (),
        tools: Mapping[str, Path] | None = None,
    ) -> None:
        outside = network is Network.OUTBOUND
        self.limits = limits
        self.proxies = tuple(proxies)
        self._tools = dict(tools or {})
        self.program = host.program
        self.network = network if outside else Network.NONE
        self.registries = None if registries is None else tuple(registries)
        if not outside:
            self.registries = ()
        self._host = host
        self._podman = podman
        self._containers = ConfinedContainers(podman, host.exits, host.networks.connect)
        self._folder = host.folders.folder / "builds"
        self._state = host.folders.state / "builds"
        self.scratch = self._folder / "scratch"
        self.volumes = Volumes(
            self._folder / "volumes", self._state / "volumes", limits.disk, limits.cache, FIRST_ID
        )
        self._lock = threading.Lock()
        self._equipment: Equipment | None = None

    def ensure(self) -> Equipment:
        """Make everything ready that a build needs. Raise EngineError with what the operator must do."""
        with self._lock:
            ready = self._equipment = self._equipment or self._prepare()
        ready.base.ensure((self._host.settings.base_image, BUSYBOX_IMAGE))
        return ready

    def image(self, identity: str) -> HostImage | None:
        """Return an image in the host's Podman, or None. Raise EngineError."""
        return HostImage.find(self._podman, identity)

    @property
    def maps_users(self) -> bool:
        """Whether steps may run as the users of their images."""
        return self._host.confinement.first_id is not None

    @property
    def files(self) -> Sequence[str]:
        """The paths that every command of a recipe sees and that belong to no image."""
        return [*(path for proxy in self.proxies for path in proxy.files), *self._tools]

    @contextmanager
    def beside(self, pid: int) -> Iterator[None]:
        """Serve the proxies in the namespaces of a process of a box, within the context."""
        with ExitStack() as stack:
            for proxy in self.proxies:
                stack.enter_context(proxy.serve(pid))
            yield

    def close(self) -> None:
        """Unmount everything, and close the connection to the service."""
        with self._lock:
            ready, self._equipment = self._equipment, None
            if ready:
                ready.base.close()
        self._podman.close()

    def clear(self) -> None:
        """Remove the boxes, mounts and disks in use of a killed runner. Raise EngineError."""
        sweep(self._containers, self._host.instance)
        unmount(self._state)
        self.volumes.clear()
        shutil.rmtree(self.scratch, ignore_errors=True)

    def _prepare(self) -> Equipment:
        host, folder = self._host, self._folder
        if self.network is Network.OUTBOUND and host.networks.trouble:
            raise EngineError(f"builds have no network without a fence ({host.networks.trouble}): {UNFENCED}")
        # A conmon has a copy of all mounts while its container exists. Shared ones end with the host's.
        share(self._state)
        if trouble := doctor.build_trouble(self.program, self._state):
            raise EngineError(trouble)
        for place in (self.scratch, self._state):
            place.mkdir(parents=True, exist_ok=True, mode=0o711)
        idle, seccomp = folder / "idle", folder / "seccomp.json"
        idle.mkdir(exist_ok=True)
        seccomp.write_text(profile())
        etc = write_etc(folder / "etc", "/vol/store", self.registries)
        texts = {path: text for proxy in self.proxies for path, text in proxy.files.items()}
        for number, (path, text) in enumerate(texts.items()):
            file = folder / f"etc/proxy-{number}"
            file.write_text(text)
            etc += (Mount(file, path),)
        etc += tuple(Mount(file, path) for path, file in self._tools.items())
        self.program.ensure_busybox()
        image = builder_image.ensure(self.program)
        box = BuildBox(self._containers, image, seccomp, host.instance, idle, host.confinement)
        base = SharedStore(box, self._podman, self.program, folder, self._state / "base")
        imports = ImportCheck(
            self._podman, self._containers, host.confinement, host.instance, idle, self.limits
        )
        return Equipment(box, imports, base, etc)
