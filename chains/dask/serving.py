"""Workers and schedulers as processes: run until they are told to stop, or end by themselves."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from typing import TypeVar

from distributed import Scheduler, Worker

from chains.engine.port import EngineAway

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
