"""The same over real containers: a step waits in one for a file that tells how it ends."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping

from chains.engine.port import Engine, Exit, Handle, Line, StepSpec
from chains.podman.api import Podman
from chains.podman.confinement import RUN_LABEL
from tests.proof.stage import HEARD_SECONDS, SECONDS, Key, read

SCRIPT = "until [ -e /output/.script ]; do sleep 0.02; done; mv /output/.script /tmp/script; . /tmp/script"


class PodmanStage:
    """As tests.proof.stage.Stage; `engine` runs steps of the image with SCRIPT."""

    def __init__(self, engine: Engine, podman: Podman) -> None:
        self.stubborn: set[str] = set()
        self._engine = engine
        self._podman = podman
        self._changed = threading.Condition()
        self._started: dict[Key, Handle] = {}
        self._reading: dict[Key, dict[str, str]] = {}
        self._stops: set[Key] = set()

    def tell(self, key: Key, script: Mapping[str, str]) -> None:
        handle = self._handle(key)
        if "STOPPED" in script:
            with self._changed:
                self._changed.wait_for(lambda: key in self._stops, HEARD_SECONDS)
            self._engine.stop(handle, 0)
            return
        files = [entry.partition("=") for entry in script["WRITE"].split(";") if entry]
        lines = [f"printf {text} > /output/{name}" for name, _, text in files]
        target = handle.spec.output / ".script"
        written = target.with_suffix(".tmp")
        written.write_text("\n".join([*lines, f"exit {script.get('EXIT', 0)}"]))
        written.rename(target)

    def reading(self, key: Key) -> dict[str, str]:
        self._handle(key)
        return self._reading[key]

    def runs(self) -> set[str]:
        answer = self._podman.call("get", "/containers/json", query={"all": "true"})
        return {container["Labels"][RUN_LABEL] for container in answer.body}

    def forget(self) -> None:
        self._started.clear()
        self._reading.clear()
        self._stops.clear()
        self.stubborn.clear()

    def prepare(self, spec: StepSpec) -> Handle:
        return self._engine.prepare(spec)

    def start(self, handle: Handle) -> None:
        spec = handle.spec
        found = read(spec)
        self._engine.start(handle)
        with self._changed:
            key = spec.run, spec.step, spec.replica
            self._reading[key], self._started[key] = found, handle
            self._changed.notify_all()

    def wait(self, handle: Handle, tell: Callable[[Line], None]) -> Exit:
        return self._engine.wait(handle, tell)

    def stop(self, handle: Handle, grace: float) -> None:
        with self._changed:
            self._stops.add((handle.spec.run, handle.spec.step, handle.spec.replica))
            self._changed.notify_all()
        if handle.spec.run not in self.stubborn:
            self._engine.stop(handle, grace)

    def remove(self, handle: Handle) -> None:
        self._engine.remove(handle)

    def command(self, spec: StepSpec) -> str:
        return self._engine.command(spec)

    def sweep(self, keep: Callable[[str], bool]) -> list[str]:
        return self._engine.sweep(keep)

    def _handle(self, key: Key) -> Handle:
        with self._changed:
            assert self._changed.wait_for(lambda: key in self._started, SECONDS), f"{key} never started"
            return self._started[key]
