"""Containers made from a specification: compare with it, start, watch to the end, remove."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from chains.engine.port import EngineError, Exit, Limits, Line
from chains.podman.api import ContainerApi, Podman
from chains.podman.cgroup import Cgroup
from chains.podman.container_spec import ContainerSpec, create_request, secret_names
from chains.podman.found_container import require_confined
from chains.podman.leftovers import is_running, reap
from chains.podman.watch import Traces, Watch

MADE_WITHIN = 60.0
NAMED = "curlew-"


class NetworkLink(Protocol):
    """The connection of a container to a network."""

    def refusals(self) -> list[str]:
        """Return the private addresses with ports that the container tried to reach and was refused."""

    def close(self) -> None:
        """Close what was opened only for this container. Raises EngineError."""


Connect = Callable[[str, int, str | None], NetworkLink]
"""A function that connects a process's network namespace to a named network, for an account."""


@dataclass(frozen=True, slots=True)
class ConfinedContainer:
    """A container that was made as specified: its id, its waiting first process, and its watch."""

    id: str
    pid: int
    watch: Watch
    link: NetworkLink | None = None


class ConfinedContainers:
    """The containers of one Podman. Only `make`, `start` and `remove` need its service.

    `exits` is the folder in which conmon writes exit codes. `connect` connects the process of a container to
    a network by name, before its code may run.
    """

    def __init__(self, service: Podman, exits: Path, connect: Connect) -> None:
        self._service = service
        self._exits = exits
        self._connect = connect
        self._in_making: set[str] = set()
        self.api = ContainerApi(service)

    def make(self, spec: ContainerSpec, limits: Limits, output: Path) -> ConfinedContainer:
        """Create, initialise and compare a container. Its watch enforces `limits` on it and on `output`.

        Raises EngineError; then the incomplete container is removed.
        """
        until = time.monotonic() + MADE_WITHIN
        while True:
            breaks = self._service.breaks
            try:
                return self._make_once(spec, limits, output, f"{NAMED}{uuid.uuid4().hex}")
            except (EngineError, OSError) as error:
                # An incomplete container of a dead service confuses the next one. Nothing has run yet.
                if self._service.breaks == breaks or self._service.away or time.monotonic() > until:
                    if isinstance(error, EngineError):
                        raise
                    raise EngineError(str(error)) from error
                with suppress(EngineError):
                    self.reap()

    def compare(self, spec: ContainerSpec, container: str) -> Mapping[str, Any]:
        """Return Podman's inspection of a container. Raises EngineError if it does not meet `spec`."""
        inspected = self.api.inspect(container)
        require_confined(spec, inspected)
        return inspected

    def start(self, container: ConfinedContainer) -> None:
        """Let the container's own command run. Raises EngineError if it cannot."""
        self.api.start(container.id, lambda: _has_begun(container))

    def wait(self, container: ConfinedContainer, tell: Callable[[Line], None]) -> Exit:
        """Call `tell` for every line and return the exit, with or without the service."""
        return container.watch.wait(tell, lambda: self.api.exit_code(container.id))

    def remove(self, container: ConfinedContainer) -> None:
        """Remove the container. Kill it if it still runs."""
        container.watch.kill()
        container.watch.await_code()
        if container.link:
            container.link.close()
        self.api.remove(container.id)
        container.watch.dismiss()
        container.watch.close()

    def reap(self) -> None:
        """End containers that Podman forgot, and drop the secrets of containers whose creation failed."""
        reap(self._exits, self.api.list_ids)
        for secret in self.api.list_secrets():
            container = secret.partition(".")[0]
            if container.startswith(NAMED) and container not in self._in_making:
                self.api.drop_secret(secret)

    def _make_once(self, spec: ContainerSpec, limits: Limits, output: Path, name: str) -> ConfinedContainer:
        self._in_making.add(name)
        link: NetworkLink | None = None
        try:
            self._initialise(spec, name)
            inspected = self.compare(spec, name)
            if spec.network:
                link = self._connect(spec.network, inspected["State"]["Pid"], spec.account)
            return replace(self._watch(inspected, spec, limits, output), link=link)
        except (EngineError, OSError):
            if link is not None:
                link.close()
            with suppress(EngineError):
                self.api.remove(name)
            with suppress(EngineError):
                self._drop_secrets(spec, name)
            raise
        finally:
            self._in_making.discard(name)

    def _initialise(self, spec: ContainerSpec, name: str) -> None:
        """Create the container and let its runtime wait. After that Podman no longer needs its secrets."""
        for secret, value in zip(secret_names(spec, name), spec.secrets.values(), strict=True):
            self.api.add_secret(secret, value)
        self.api.create(create_request(spec, name))
        self.api.initialise(name)
        self._drop_secrets(spec, name)

    def _drop_secrets(self, spec: ContainerSpec, name: str) -> None:
        for secret in secret_names(spec, name):
            self.api.drop_secret(secret)

    def _watch(
        self, inspected: Mapping[str, Any], spec: ContainerSpec, limits: Limits, output: Path
    ) -> ConfinedContainer:
        identity, state = str(inspected["Id"]), inspected["State"]
        traces = Traces(
            pid=state["Pid"],
            conmon=state["ConmonPid"],
            log=Path(inspected["HostConfig"]["LogConfig"]["Path"]),
            exit_file=self._exits / identity,
            cgroup=Cgroup.of(state["Pid"]),
        )
        return ConfinedContainer(identity, state["Pid"], Watch(traces, limits, output, spec.mounts))


def _has_begun(container: ConfinedContainer) -> bool:
    """Wait until the command has begun or no runtime is starting it. Return whether it has begun."""
    watch = container.watch
    while not watch.begun and is_running(f"start\0{container.id}", lambda: watch.begun):
        pass
    return watch.begun
