"""Schedulers and workers of Dask as processes, under the settings that steps depend on."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from importlib.metadata import version
from typing import Any, TypeVar

import dask.config
from distributed import Scheduler, Worker

from chains.dask.certificates import Certificates
from chains.engine.port import EngineAway, EngineError

LONGEST_TTL = 10
"""Seconds after which a worker that says nothing counts as lost."""

KEPT_LETTERS = 100
"""Letters of a topic that a scheduler keeps, which nobody asks it for."""

SETTINGS: dict[str, Any] = {
    # A step is never begun twice: a worker that is lost takes its steps with it.
    "distributed.scheduler.allowed-failures": 0,
    "distributed.scheduler.worker-ttl": f"{LONGEST_TTL}s",
    "distributed.scheduler.work-stealing": False,
    "distributed.scheduler.worker-saturation": "inf",
    # A permit is such a call: no step waits for a handshake of TLS.
    "distributed.scheduler.reuse-broadcast-comm": True,
    "distributed.scheduler.active-memory-manager.start": False,
    "distributed.admin.low-level-log-length": KEPT_LETTERS,
    # Dask opens a port for HTTP in any case, without TLS or passwords: nothing is to be found there.
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
    "distributed.comm.require-encryption": True,
    "distributed.comm.retry.count": 0,
    "distributed.comm.timeouts.connect": "5s",
    # The least that Dask takes is 11 s.
    "distributed.comm.timeouts.tcp": "12s",
    # Steps have limits of their own, in their containers.
    "distributed.worker.memory.target": False,
    "distributed.worker.memory.spill": False,
    "distributed.worker.memory.pause": False,
    "distributed.worker.memory.terminate": False,
    "distributed.worker.profile.enabled": False,
    "distributed.worker.lifetime.restart": False,
}

TLS = "tls://"
PORT = 8786
UNSEEN = "127.0.0.1:0"
"""Where that port is: on this host alone, wherever there is room."""


def require_tls(address: str) -> None:
    """Raise EngineError for a scheduler's address without TLS: nothing is sent there."""
    if not address.startswith(TLS):
        raise EngineError(
            f"the scheduler {address or '(none)'} is not asked over TLS, and anyone who reaches it could run "
            f"programs on all workers as root: let dask_scheduler begin with {TLS}"
        )


def place_of(address: str) -> tuple[str, int]:
    """Host and port of an address with TLS; Dask's own port where none is said."""
    host, _, port = address.removeprefix(TLS).rpartition(":")
    return (host.strip("[]"), int(port)) if host else (port, PORT)


def set_up() -> None:
    """Have all that Dask does in this process follow the settings here."""
    dask.config.set(SETTINGS)


STARTED_AS = "start it as  curlew scheduler"
RELEASE = f"Curlew {version('curlew')} with Dask {version('distributed')}"
"""What runs in this process, whatever is installed since: only the same release reads what it sends."""


def make_scheduler(address: str, certificates: Certificates) -> Scheduler:
    """A scheduler that listens on an address with TLS; it runs in the event loop in which it is made.

    It shows no dashboard: its readers would see the runs of all.
    """
    require_tls(address)
    set_up()
    host, port = place_of(address)
    return Scheduler(
        host=host,
        port=port,
        protocol="tls",
        security=certificates.security(),
        dashboard=False,
        dashboard_address=UNSEEN,
    )


def scheduler_facts(dask_scheduler: Scheduler) -> dict[str, Any]:
    """Settings of a scheduler that are looked at before it has steps; runs there."""
    return {
        "allowed_failures": dask_scheduler.allowed_failures,
        "worker_ttl": dask_scheduler.worker_ttl,
        "release": RELEASE,
    }


def unsafe(facts: dict[str, Any]) -> str | None:
    """Why a scheduler of these `scheduler_facts` must not have steps; None when it may."""
    if facts["allowed_failures"] != 0:
        return (
            f"allowed-failures is {facts['allowed_failures']} there, and not 0: steps of workers that are "
            f"lost would be begun again; {STARTED_AS}"
        )
    ttl = facts["worker_ttl"]
    if ttl is None or ttl > LONGEST_TTL:
        said = "not set" if ttl is None else f"{ttl:g} s"
        return (
            f"worker-ttl is {said} there, and {LONGEST_TTL} s at most: a worker that is cut off would be "
            f"missed too late; {STARTED_AS}"
        )
    if (release := facts.get("release", "an older release")) != RELEASE:
        return (
            f"{release} runs there, and {RELEASE} here: install the same release on all hosts, and restart "
            "curlew-scheduler, curlew-worker and curlew-runner"
        )
    return None


LOOK_SECONDS = 0.2

Served = TypeVar("Served", Worker, Scheduler)


async def leave_at_once(server: Worker | Scheduler) -> None:
    """Let go of nothing first."""


def serve(
    make: Callable[[], Served],
    stop: threading.Event,
    ready: Callable[[], object],
    leave: Callable[[Served], Awaitable[None]] = leave_at_once,
) -> None:
    """Run what `make` makes in an event loop of this thread until `stop` is set; once it runs, call `ready`.

    `leave` is awaited between the stop and the end.

    Raises EngineAway when it ends by itself, as a worker does whose scheduler is lost, and when it cannot
    start, as one that finds no scheduler or is refused by it.
    """
    asyncio.run(_serve(make, stop, ready, leave))


async def _serve(
    make: Callable[[], Served],
    stop: threading.Event,
    ready: Callable[[], object],
    leave: Callable[[Served], Awaitable[None]],
) -> None:
    server = make()
    try:
        await server
    except (OSError, RuntimeError, TimeoutError) as error:
        raise EngineAway(f"it cannot start: {_cause(error)}") from error
    ready()
    ended = asyncio.create_task(server.finished())
    while not stop.is_set():
        await asyncio.wait({ended}, timeout=LOOK_SECONDS)
        if ended.done():
            raise EngineAway("the connection to the Dask scheduler was lost")
    await leave(server)
    await server.close()


def _cause(error: BaseException) -> str:
    """The innermost reason, which Dask wraps into sentences that say that something has not started."""
    while error.__cause__ is not None:
        error = error.__cause__
    return str(error) or type(error).__name__
