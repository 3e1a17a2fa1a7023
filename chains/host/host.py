"""PodmanHost: prepares this machine to run steps, with a Podman separate from the system's own."""

from __future__ import annotations

import os
import resource
import secrets
import shlex
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from chains.engine.port import EngineError
from chains.files.fsync import place_file
from chains.host.allowed_hosts import AllowedHost, AllowedHosts
from chains.host.config import HostFolders, Runtime, RuntimeChoice, within_hard_limit, write
from chains.host.container_records import keep_in_memory
from chains.host.daemon import PodmanService
from chains.host.debian_packages import DATABASE
from chains.host.host_limits import IDS_ADVICE, lacks_ids
from chains.host.networks import StepNetworks, choose_bridges
from chains.host.program import BUSYBOX_IMAGE, LOCAL, PYTHON_IMAGE, PodmanProgram, Tell, tell_nobody
from chains.host.rootfs import ImageRecipe
from chains.podman.confinement import Confinement, profile_text
from chains.podman.leftovers import await_quiet, reap, unmount


def instance_of(folder: Path) -> str:
    """Return the instance id of a Podman's folder: 12 hexadecimal digits, chosen at the first call."""
    file = folder / "instance"
    if not file.exists():
        place_file(file, secrets.token_hex(6).encode(), replaces=False)
    return file.read_text().strip()


def state_of(folder: Path, instance: str) -> Path:
    """Return the folder for the state of runs: in /run if possible, so that a reboot removes it."""
    return Path("/run") / f"curlew-{instance}" if os.access("/run", os.W_OK) else folder.resolve() / "state"


QUIET_SECONDS = 5.0
FOUND_BY = ("CONTAINERS_CONF", "CONTAINERS_STORAGE_CONF")
"""The environment variables with which a Podman uses this folder's store and networks."""

VERSION_6 = Path("/proc/sys/net/ipv6")


@dataclass(frozen=True, slots=True)
class HostSettings:
    """Settings of a host.

    `folder`: for images and configuration. `state`: for files that a reboot removes. `runtime`: None tries
    all installed ones. `base_image`: made here if it begins with `localhost/`, from the Debian packages in
    dpkg's database `packages`, or from `python` without them; else pulled. `userns`: steps run with ids that
    do not exist on the host, if it can map users. `variables`: passed to Podman (proxies). `allowed`: private
    destinations for steps.
    """

    folder: Path
    state: Path | None = None
    runtime: str | None = None
    base_image: str = PYTHON_IMAGE
    packages: Path = DATABASE
    python: Path = Path(sys.executable)
    userns: bool = True
    first_id: int = 100_000
    variables: Mapping[str, str] = field(default_factory=dict)
    allowed: tuple[AllowedHost, ...] = ()


class PodmanHost:
    """A Podman service in separate folders. Reports each slow operation to `tell`."""

    def __init__(self, settings: HostSettings, tell: Tell = tell_nobody) -> None:
        self.settings = settings
        self._tell = tell
        settings.folder.mkdir(parents=True, exist_ok=True, mode=0o711)
        self.instance = instance_of(settings.folder)
        self.bridge, self.inner_bridge = choose_bridges(settings.folder, self.instance)
        self.folders = HostFolders(
            settings.folder.resolve(), settings.state or state_of(settings.folder, self.instance)
        )
        self.networks = StepNetworks(
            self.bridge,
            self.inner_bridge,
            self.folders.folder,
            self.folders.state,
            AllowedHosts(settings.allowed),
        )
        self.runtimes = RuntimeChoice(
            self.folders.folder / "runtime.json", settings.runtime, userns=settings.userns
        )
        self.program = PodmanProgram(self.folders, settings.variables)
        self._lost: list[str] = []
        self._service = PodmanService(
            self.folders.socket,
            self.folders.service_environ(settings.variables),
            self.folders.folder / "service.log",
        )

    @property
    def socket(self) -> Path:
        """The socket on which the service listens."""
        return self.folders.socket

    @property
    def shell(self) -> str:
        """The command line that runs the Podman with these images."""
        environ = self.folders.environ({})
        return " ".join([*(f"{name}={shlex.quote(environ[name])}" for name in FOUND_BY), "podman"])

    @property
    def exits(self) -> Path:
        """The folder in which conmon leaves exit codes."""
        return self.folders.state / "tmp" / "exits"

    @property
    def confinement(self) -> Confinement:
        """Confinement of steps on this host; known after `ensure`."""
        runtime = self.runtimes.require()
        return Confinement(
            seccomp=self.folders.folder / "seccomp.json",
            first_id=self.settings.first_id if runtime.userns else None,
            processes=within_hard_limit(resource.RLIMIT_NPROC, 4096),
            open_files=within_hard_limit(resource.RLIMIT_NOFILE, 1024),
            network=self.bridge.name,
            resolv_conf=self.networks.names.resolv_conf,
            api=self.inner_bridge.name,
            version_6=VERSION_6.exists(),
        )

    @property
    def service_pid(self) -> int | None:
        """The process of the service while it runs."""
        return self._service.pid

    @property
    def answers(self) -> bool:
        """Whether the service answers, no matter which process has started it."""
        return self._service.answers()

    def ensure(self) -> None:
        """Prepare everything and start. Quick if that was done before. Raises EngineError with what to do.

        The host also starts without a base image: it reports the problem, and builds that need it fail.
        """
        self.prepare()
        self.start()
        try:
            self.ensure_base()
        except EngineError as error:
            self._tell(str(error))

    def prepare(self) -> None:
        """Write the configuration and find the runtime that works here, by trying.

        Raises EngineError if none does, or if this host has too few ids for users of steps.
        """
        if self.settings.userns and (lack := lacks_ids(self.settings.first_id)):
            raise EngineError(f"{lack}: {IDS_ADVICE}")
        self._make_folders()
        (self.folders.folder / "seccomp.json").write_text(profile_text())
        self.runtimes.choose(self._try)
        self._remove_lost()

    def start(self) -> None:
        """Set up the networks and start the service, after `prepare`. Does nothing if it runs."""
        self.runtimes.require()
        if not self.service_pid:
            self.networks.trouble = self.networks.put_up()
            self._start_names()
        self._service.start()

    def repair(self) -> str | None:
        """Restart a Podman that does not answer; return why that did not help, or None.

        Its socket, or its whole state folder, may have been deleted: new ones are made.
        """
        if not self.answers:
            try:
                self._make_folders()
                self._remove_lost()
                self._service.restart()
            except (EngineError, OSError) as error:
                return f"Podman is away: {error}"
        return None

    def stop(self) -> None:
        """Remove the containers, stop the service, and remove mounts and rules; images stay."""
        self.program.trouble("rm", "--force", "--all", "--time", "0")
        self._service.stop()
        reap(self.exits, tuple)
        self.networks.take_down()
        await_quiet(self.folders.state, QUIET_SECONDS)
        unmount(self.folders.folder)
        unmount(self.folders.state)
        shutil.rmtree(self.folders.state, ignore_errors=True)

    def ensure_base(self) -> None:
        """Provide the base image: made here if its name is local, else pulled. Raises EngineError."""
        self.program.ensure_base(self.settings.base_image, self.base_recipe, self._tell)

    @property
    def base_recipe(self) -> ImageRecipe | None:
        """The recipe by which the base image is made here; None if it is pulled."""
        settings = self.settings
        is_local = settings.base_image.startswith(LOCAL)
        return ImageRecipe.of_host(settings.python, settings.packages) if is_local else None

    def _start_names(self) -> None:
        """Start the name server for steps, or let them ask the host's name servers."""
        try:
            self.networks.start_names()
        except EngineError as error:
            self._tell(str(error))

    def _remove_lost(self) -> None:
        """Remove containers without records, because they would keep their images in use."""
        while self._lost:
            self.program.trouble("rm", "--force", self._lost.pop())

    def _make_folders(self) -> None:
        for folder in (self.folders.folder, self.folders.state):
            folder.mkdir(parents=True, exist_ok=True)
            folder.chmod(0o711)
        (self.folders.state / "tmp").mkdir(exist_ok=True)
        self._lost += keep_in_memory(self.folders.store)

    def _try(self, runtime: Runtime, proven: bool) -> str | None:
        """Configure Podman for a runtime and try it, unless it is `proven`; return why it failed, or None."""
        write(self.folders, runtime, self.bridge, [self.inner_bridge])
        if proven and self.program.has(BUSYBOX_IMAGE):
            return None
        self._tell(f"trying a first container under the runtime {runtime}")
        return self.program.try_step(runtime, self.settings.first_id)
