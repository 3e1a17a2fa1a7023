"""PodmanYard: a runner at work whose steps run in containers."""

from __future__ import annotations

import json
from pathlib import Path

from chains.engine.port import Network
from chains.runner.policy import RunnerSettings, StepPolicy
from tests.kit.podman import Bench
from tests.kit.runner import Yard


class PodmanYard(Yard):
    """A yard whose steps run in containers; an image is a shell script."""

    def __init__(self, folder: Path, bench: Bench) -> None:
        super().__init__(folder)
        self.engine = bench.engine
        self._bench = bench
        self.settings = RunnerSettings(slots=4, policy=StepPolicy(network=Network.NONE, stop_grace=0.5))

    def script(self, name: str, script: str) -> None:
        """What the step `name` does."""
        image = self._bench.image(script)
        self.images[f"image-{name}"] = {"id": image}
        self._bench.podman.call(
            "post", f"/images/{image}/tag", query={"repo": f"image-{name}", "tag": "latest"}
        )

    def containers(self) -> list[str]:
        answer = self._bench.podman.call("get", "/containers/json", query={"all": "true"})
        return [json.dumps(container["Names"]) for container in answer.body]
