"""Readiness: the checks of `/readyz` and of the page of operators."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from functools import partial

from chains.files.sizes import rounded_text
from chains.host.host_limits import host_limits
from handlers.http.health import Checks, Concern, Trouble
from handlers.processes.world import LiveWorld
from handlers.rendering.port import RendererBusy
from handlers.rendering.socket_service import SOCKET, RemoteRenderer
from handlers.server.limits import connections_within_files
from vfs.errors import NoSpace, Unavailable
from vfs.ports.disk import DiskState

COUNTED_AGAIN = 10.0
"""Seconds for which a count over all labels is cached, as anybody may request it."""


class LostImages:
    """The check of missing images, as after a restore."""

    def __init__(self) -> None:
        self._until, self._lost = 0.0, 0

    def __call__(self, live_world: LiveWorld) -> str:
        """Return that all images exist. Raises Concern with the number of missing ones."""
        if time.monotonic() >= self._until:
            self._lost = live_world.world.code.overview.lost_labels()
            self._until = time.monotonic() + COUNTED_AGAIN
        if self._lost:
            raise Concern(
                f"the images of {self._lost} labels are gone: steps that use them fail; curlew repo rebuild "
                "--all builds them again"
            )
        return "all there"


def checks(live_world: LiveWorld) -> Checks:
    """Return the checks of readiness."""
    made: Mapping[str, Callable[[LiveWorld], str]] = {
        "database": _database,
        "disk": _disk,
        "limits": _limits,
        "runner": _runner,
        "images": LostImages(),
        "render": _render,
    }
    return Checks({name: partial(check, live_world) for name, check in made.items()}, live_world.world.clock)


def _database(live_world: LiveWorld) -> str:
    try:
        return live_world.database.check()
    except (NoSpace, Unavailable) as refusal:
        raise Trouble(refusal.detail) from None


def _runner(live_world: LiveWorld) -> str:
    """Check the runners by their last entries in the run store."""
    workers = live_world.world.code.runs.leases.workers()
    silent = live_world.world.code.overview.silent_runners()
    if not workers and live_world.reserve.room().is_full:
        raise Concern("unknown while the disk is full: runners cannot record that they are active")
    if not workers:
        raise Concern(
            f"no runner works{_since(silent)}: runs and builds wait until one does; start curlew runner"
        )
    for worker in workers:
        if worker.trouble is not None:
            raise Concern(f"{worker.name} takes no steps since {worker.since}: {worker.trouble}")
    if silent:
        raise Concern(
            f"{len(workers)} at work, but one has stopped without an end{_since(silent)}: "
            "start it again, or another one, which removes the entries of dead ones"
        )
    return f"{len(workers)} at work"


def _since(silent: Mapping[str, str]) -> str:
    """Return when the silent runners should last have reported."""
    return "".join(f"; {name} is late since {due}" for name, due in list(silent.items())[:1])


def _render(live_world: LiveWorld) -> str:
    """Ask the rendering service for its state."""
    service = RemoteRenderer(live_world.world.service.settings.folder / SOCKET)
    try:
        orders = service.count_orders()
    except RendererBusy as refusal:
        raise Concern(f"{refusal}: what is not rendered yet waits; start curlew render") from None
    return f"{orders} orders in progress"


def _limits(live_world: LiveWorld) -> str:
    """Check the connections that this process may take, and the limits of the machine."""
    settings = live_world.world.service.settings
    allowed = connections_within_files(settings.connections)
    if allowed < settings.connections:
        raise Concern(
            f"a web process takes {allowed:,} connections, not {settings.connections:,}: it may open too few "
            "files; raise LimitNOFILE= of the unit (ulimit -n), or lower the setting connections"
        )
    for limit in host_limits(settings.folder):
        if limit.is_near:
            raise Concern(f"{limit} are in use: {limit.advice}")
    return f"{allowed:,} connections"


def _disk(live_world: LiveWorld) -> str:
    """Return the free space on the disk of the data folder."""
    room, free = live_world.reserve.room(), live_world.reserve.look().free
    said = f"{rounded_text(free)} free on the disk of {live_world.world.service.settings.folder}"
    if flaw := live_world.reserve.flaw():
        raise Trouble(f"the disk takes no writes ({flaw}), {said}: repair it, then restart all services")
    if room.is_full:
        raise Trouble(f"the disk is full, {said}: until there is room, people can only read and delete")
    if room is DiskState.LOW:
        raise Concern(f"the disk is nearly full, {said}: make room")
    return said
