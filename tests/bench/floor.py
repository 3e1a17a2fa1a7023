"""The floor of jobs: `podman run --rm` of the same image, on the same store and network, as confined."""

from __future__ import annotations

import json
import subprocess
import time
from pathlib import Path
from typing import Any

from chains.engine.port import Limits, Mount, Network, StepSpec
from chains.host.host import HostSettings, PodmanHost
from chains.podman.confinement import confinement_options, step_container
from chains.podman.container_spec import ContainerSpec
from chains.podman.found_container import differences
from chains.podman.leftovers import share
from chains.podman.mount_folders import give

NETWORKS = Path("/run/netns")


class PodmanRun:
    """Podman's own command line in the data folder of a running service."""

    def __init__(self, data: Path, scratch: Path, network: Network = Network.NONE) -> None:
        self._network = network
        # Else Podman's command line leaves every network behind, and has no address left for the sixteenth.
        share(NETWORKS)
        host = PodmanHost(HostSettings(folder=data / "podman"))
        host.prepare()
        self._environ = host.folders.environ({})
        self._confinement = host.confinement
        self._input, self._output = scratch / "input", scratch / "output"
        for folder in (self._input, self._output):
            folder.mkdir(parents=True)
            give(folder, self._confinement.owner, writable=True)

    def image(self, commit: str) -> str:
        """The id of the image that was built from a commit."""
        return self._podman(
            "images", "--no-trunc", "-q", "--filter", f"label=curlew.commit={commit}"
        ).split()[0]

    def seconds(self, image: str, times: int = 1) -> float:
        """How long it takes to run the image so often, one after the other."""
        command = ["run", "--rm", *self._flags(), image]
        began = time.perf_counter()
        for _ in range(times):
            self._podman(*command)
        return time.perf_counter() - began

    def hold_confined(self, image: str) -> None:
        """Raise SystemExit unless the command line confines as a step is confined, to the last option."""
        made = self._podman("create", *self._flags(), image).strip()
        try:
            self._podman("init", made)
            inspected: Any = json.loads(self._podman("inspect", made))[0]
            config = json.loads(Path(inspected["OCIConfigPath"]).read_bytes())
            shape = self._shape(image)
            # The command line joins a network automatically where a step is put onto it.
            if list(inspected["NetworkSettings"].get("Networks") or ()) == [shape.network]:
                inspected["NetworkSettings"]["Networks"] = {}
                inspected["HostConfig"]["NetworkMode"] = "none"
            if found := differences(shape, inspected, config):
                raise SystemExit(f"podman run is confined differently: {'; '.join(found)}")
        finally:
            self._podman("rm", "--force", "--time", "0", made)

    def _shape(self, image: str) -> ContainerSpec:
        return step_container(self._spec(image), self._confinement, "bench")

    def _spec(self, image: str) -> StepSpec:
        mounts = (Mount(self._input, "/input"), Mount(self._output, "/output", writable=True))
        return StepSpec("bench", "floor", image, {}, mounts, self._output, Limits(), self._network)

    def _flags(self) -> list[str]:
        step = self._spec("")
        mounts = (
            f"--volume={mount.source}:{mount.target}:{'rw' if mount.writable else 'ro'},nosuid,nodev"
            for mount in step.mounts
        )
        return [*confinement_options(step, self._confinement), *mounts]

    def _podman(self, *words: str) -> str:
        command = ["podman", *words]
        done = subprocess.run(command, env=self._environ, capture_output=True, text=True, check=False)
        if done.returncode:
            raise SystemExit(f"podman {words[0]} failed: {done.stderr}")
        return done.stdout
