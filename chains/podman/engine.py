"""PodmanEngine runs steps in containers through Podman's socket."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from chains.engine.port import EngineAway, EngineError, Exit, Handle, Line, StepSpec
from chains.podman.api import Podman
from chains.podman.confined_containers import ConfinedContainer, ConfinedContainers, Connect
from chains.podman.confinement import (
    INSTANCE_LABEL,
    RUN_LABEL,
    Confinement,
    command_line,
    lacks_image,
    refusal,
    step_container,
)
from chains.podman.container_spec import StepUser, user_of
from chains.podman.mount_folders import give

MOST_LISTED = 10


class PodmanEngine:
    """An engine that uses Podman. Only `prepare`, `start`, `remove` and `sweep` need its service.

    `exits`: the folder in which conmon writes exit codes. `instance`: the label of this Curlew's containers.
    `connect`: connects every prepared step that has a network, before its code may run. `shell`: the command
    line of the Podman that has the images. `missed`: is called with an image that a step needs and that is
    missing.
    """

    def __init__(
        self,
        podman: Podman,
        confinement: Confinement,
        exits: Path,
        instance: str,
        connect: Connect,
        shell: str = "podman",
        missed: Callable[[str], object] = lambda image: None,
    ) -> None:
        self._podman = podman
        self._shell = shell
        self._missed = missed
        self._containers = ConfinedContainers(podman, exits, connect)
        self._confinement = confinement
        self._instance = instance
        self._open: dict[str, ConfinedContainer] = {}
        self._users: dict[str, StepUser | None] = {}

    def command(self, spec: StepSpec) -> str:
        """Return the shell command (Engine.command), even for a step that was prepared on another host."""
        with suppress(EngineError):
            self._user(spec.image)
        return command_line(spec, self._confinement, self._shell, self._users.get(spec.image))

    def prepare(self, spec: StepSpec) -> Handle:
        """Create and initialise the container, and compare it with the specification (Engine.prepare)."""
        try:
            wanted = step_container(spec, self._confinement, self._instance, self._user(spec.image))
            container = self._containers.make(wanted, spec.limits, spec.output)
        except EngineError as error:
            if lacks_image(str(error)):
                self._missed(spec.image)
            kind = EngineAway if isinstance(error, EngineAway) else EngineError
            raise kind(refusal(spec, str(error))) from error
        self._open[container.id] = container
        return Handle(container.id, spec)

    def start(self, handle: Handle) -> None:
        """Let the step's own command run (Engine.start)."""
        container = self._find(handle)
        container.watch.start(lambda: self._begin(container, handle.spec))

    def wait(self, handle: Handle, tell: Callable[[Line], None]) -> Exit:
        """Call `tell` for every line and return the exit (Engine.wait)."""
        container = self._find(handle)
        ended = self._containers.wait(container, tell)
        if not ended.succeeded and container.link:
            for place in container.link.refusals()[:MOST_LISTED]:
                advice = f"{place} is a private address: the operator can allow it by network_allow"
                tell(Line(datetime.now(UTC).isoformat(), "stderr", advice))
        return ended

    def stop(self, handle: Handle, grace: float) -> None:
        """Send SIGTERM now, SIGKILL after `grace` seconds (Engine.stop)."""
        if container := self._open.get(handle.id):
            container.watch.stop(grace)

    def remove(self, handle: Handle) -> None:
        """Remove the container (Engine.remove)."""
        self._remove(handle.id)

    def sweep(self, keep: Callable[[str], bool]) -> list[str]:
        """Remove the containers of runs that `keep` refuses (Engine.sweep), and those that Podman forgot."""
        swept = set()
        for identity, labels in self._containers.api.list_labelled(INSTANCE_LABEL, self._instance):
            if RUN_LABEL in labels and not keep(run := labels[RUN_LABEL]):
                self._remove(identity)
                swept.add(run)
        self._containers.reap()
        return sorted(swept)

    def close(self) -> None:
        """Close everything. Containers that still run continue without a watch."""
        self._podman.close()
        while self._open:
            self._open.popitem()[1].watch.close()

    def _remove(self, identity: str) -> None:
        if container := self._open.get(identity):
            self._containers.remove(container)
            self._open.pop(identity, None)
        else:
            self._containers.api.remove(identity)

    def _begin(self, container: ConfinedContainer, spec: StepSpec) -> None:
        for mount in spec.mounts:
            give(mount.source, self._confinement.owner, writable=mount.writable)
        self._containers.start(container)

    def _user(self, image: str) -> StepUser | None:
        """Return the user of an image. It never changes for an image id. Raises EngineAway."""
        if image not in self._users:
            answer = self._podman.call("get", f"/images/{image}/json")
            if answer.failed:
                return None
            self._users[image] = user_of(answer.body, self._confinement.ids)
        return self._users[image]

    def _find(self, handle: Handle) -> ConfinedContainer:
        try:
            return self._open[handle.id]
        except KeyError:
            raise EngineError(f"the container of step {handle.spec.step} was removed") from None
