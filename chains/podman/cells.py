"""Containers of a wanted shape: made, compared with it, let run, watched to their end, removed."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from chains.engine.port import EngineError, Exit, Limits, Line
from chains.podman.api import Caller, Containers
from chains.podman.cgroup import Cgroup
from chains.podman.leftovers import reap, runs
from chains.podman.shape import Shape, request, require
from chains.podman.watch import Traces, Watch

MADE_WITHIN = 60.0


class Service(Caller, Protocol):
    """A connection that counts how often the service broke off, and knows whether it stayed away."""

    breaks: int
    away: bool


@dataclass(frozen=True, slots=True)
class Cell:
    """A container that was made as wanted: its id, the process that waits to become its own, its watch."""

    id: str
    pid: int
    watch: Watch


class Cells:
    """The containers of one Podman. Only `make`, `start` and `remove` need its service; the rest goes on
    without.

    `exits` is the folder in which conmon leaves exit codes, and `fence` is called for every container with a
    network before its code may run.
    """

    def __init__(self, service: Service, exits: Path, fence: Callable[[], None]) -> None:
        self._service = service
        self._exits = exits
        self._fence = fence
        self.containers = Containers(service)

    def make(self, shape: Shape, limits: Limits, output: Path) -> Cell:
        """Create, initialise and compare. `limits` and `output` are what its watch enforces.

        Raises EngineError; what is half made then is removed.
        """
        until = time.monotonic() + MADE_WITHIN
        while True:
            breaks = self._service.breaks
            try:
                return self._made(shape, limits, output, f"curlew-{uuid.uuid4().hex}")
            except (EngineError, OSError) as error:
                # What is half made when the service dies confuses the next one; nothing has run yet.
                if self._service.breaks == breaks or self._service.away or time.monotonic() > until:
                    if isinstance(error, EngineError):
                        raise
                    raise EngineError(str(error)) from error
                with suppress(EngineError):
                    self.reap()

    def compare(self, shape: Shape, container: str) -> Mapping[str, Any]:
        """What Podman knows of a container. Raises EngineError when it is not of this shape."""
        inspected = self.containers.inspect(container)
        require(shape, inspected)
        return inspected

    def start(self, cell: Cell) -> None:
        """Let the container's own command run. Raises EngineError when that cannot be."""
        self.containers.start(cell.id, lambda: _has_begun(cell))

    def wait(self, cell: Cell, tell: Callable[[Line], None]) -> Exit:
        """Tell every line and answer the end, with or without the service."""
        return cell.watch.wait(tell, lambda: self.containers.exit_code(cell.id))

    def remove(self, cell: Cell) -> None:
        """Make it disappear, killing it when it still runs."""
        cell.watch.kill()
        cell.watch.await_code()
        self.containers.remove(cell.id)
        cell.watch.close()

    def reap(self) -> None:
        """End what Podman has forgotten."""
        reap(self._exits, self.containers.all)

    def _made(self, shape: Shape, limits: Limits, output: Path, name: str) -> Cell:
        try:
            self.containers.create(request(shape, name))
            self.containers.initialise(name)
            inspected = self.compare(shape, name)
            if shape.networks:
                self._fence()
            return self._watched(inspected, limits, output)
        except (EngineError, OSError):
            with suppress(EngineError):
                self.containers.remove(name)
            raise

    def _watched(self, inspected: Mapping[str, Any], limits: Limits, output: Path) -> Cell:
        identity, state = str(inspected["Id"]), inspected["State"]
        traces = Traces(
            pid=state["Pid"],
            conmon=state["ConmonPid"],
            log=Path(inspected["HostConfig"]["LogConfig"]["Path"]),
            exit_file=self._exits / identity,
            cgroup=Cgroup.of(state["Pid"]),
        )
        return Cell(identity, state["Pid"], Watch(traces, limits, output))


def _has_begun(cell: Cell) -> bool:
    """Whether the command was let run, as soon as that is so, or no runtime is at it any more."""
    watch = cell.watch
    while not watch.begun and runs(f"start\0{cell.id}", lambda: watch.begun):
        pass
    return watch.begun
