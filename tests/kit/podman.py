"""A Podman of the suite's own: one host for the session, with a step's image of busybox, gone when the tests
end.
"""

from __future__ import annotations

import itertools
import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from uv import find_uv_bin

from chains.buildbox.box import BuildLimits
from chains.buildbox.builder import BoxBuilder
from chains.buildbox.workshop import Workshop
from chains.builds.packages import INSTALLER
from chains.engine.port import Limits, Line, Mount, Network, StepSpec
from chains.host.doctor import PODMAN_ADVICE
from chains.host.host import HostSettings, PodmanHost
from chains.host.networks import RESERVATIONS
from chains.host.program import BUSYBOX_IMAGE
from chains.podman.api import Podman
from chains.podman.engine import PodmanEngine
from chains.podman.image_store import PodmanImages

MISSING = f"Podman is not installed: {PODMAN_ADVICE} runc"


def release(instance: str, reservations: Path = RESERVATIONS) -> None:
    """Release all reservations of networks of an instance."""
    for link in reservations.glob("*"):
        with suppress(OSError):
            if os.readlink(link) == instance:
                link.unlink()


def wipe(host: PodmanHost) -> None:
    """Stop a host, and delete its images."""
    host.stop()
    shutil.rmtree(host.folders.folder, ignore_errors=True)
    release(host.instance)


def engine_on(host: PodmanHost) -> PodmanEngine:
    """An engine for the steps of `host`."""
    return PodmanEngine(
        Podman(host.socket), host.confinement, host.exits, host.instance, host.networks.connect, host.shell
    )


def builder_on(host: PodmanHost, limits: BuildLimits | None = None, **choices: Any) -> BoxBuilder:
    """A builder in boxes of `host`; `choices` are those of a workshop."""
    tools = {INSTALLER: Path(find_uv_bin())}
    workshop = Workshop(host, Podman(host.socket), limits or BuildLimits(), tools=tools, **choices)
    return BoxBuilder(workshop, PodmanImages(Podman(host.socket)))


class Bench:
    """Engine and builder of a running host, and the making of images and steps out of shell scripts."""

    def __init__(self, host: PodmanHost, folder: Path) -> None:
        self.host = host
        self.engine = engine_on(host)
        self.builder = builder_on(host)
        self.podman = Podman(host.socket)
        self._folder = folder
        self._numbers = itertools.count(1)
        self._images: dict[str, str] = {}

    def image(self, script: str) -> str:
        """The id of an image whose command runs `script` by busybox's shell; made once a script."""
        if script not in self._images:
            file, name = self.folder("script") / "run.sh", f"script-{len(self._images)}"
            file.write_text(script)
            self._podman("create", "--name", name, BUSYBOX_IMAGE)
            self._podman("cp", str(file), f"{name}:/run.sh")
            self._images[script] = self._podman("commit", "-q", "-c", 'CMD ["sh", "/run.sh"]', name)
            self._podman("rm", name)
        return self._images[script]

    def _podman(self, *words: str) -> str:
        done = self.host.program.run(*words)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def step(
        self, script: str, *, run: str = "run", network: Network = Network.NONE, **limits: float
    ) -> StepSpec:
        """A step that runs `script` with a separate /input and /output."""
        place = self.folder("step")
        (place / "input").mkdir()
        (place / "output").mkdir()
        return StepSpec(
            run=run,
            step="work",
            image=self.image(script),
            env={"GREETING": "hello"},
            mounts=(Mount(place / "input", "/input"), Mount(place / "output", "/output", writable=True)),
            output=place / "output",
            limits=Limits(**limits),  # type: ignore[arg-type]
            network=network,
        )

    def folder(self, name: str) -> Path:
        """A fresh folder."""
        made = self._folder / f"{name}-{next(self._numbers)}"
        made.mkdir()
        return made


def texts(lines: Sequence[Line]) -> list[str]:
    """What the lines say."""
    return [line.text for line in lines]


@pytest.fixture(scope="session")
def podman_host() -> Iterator[PodmanHost]:
    """A host made ready in a fresh folder, its base image made from the Python that runs the tests."""
    if not shutil.which("podman"):
        pytest.fail(MISSING, pytrace=False)
    folder = Path(tempfile.mkdtemp(prefix="curlew-podman-"))
    host = PodmanHost(HostSettings(folder=folder / "host"))
    try:
        host.ensure()
        yield host
    finally:
        wipe(host)
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def podman_bench(podman_host: PodmanHost) -> Iterator[Bench]:
    """Engine, builder and steps on that host, on the disk of the first caller."""
    with tempfile.TemporaryDirectory(prefix="curlew-bench-", ignore_cleanup_errors=True) as folder:
        bench = Bench(podman_host, Path(folder))
        yield bench
        bench.engine.close()
        bench.builder.close()
        bench.podman.close()
