"""The worker: a Dask worker whose tasks are steps, and the functions that are called on it directly."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Collection
from functools import partial
from typing import Any

from distributed import Worker, get_worker
from distributed.core import Status
from distributed.diagnostics.plugin import WorkerPlugin

from chains.dask.scheduler import UNSEEN, Certificates, set_up
from chains.dask.step_host import StepHost

SLOTS = "slots"
MEMORY = "memory"
PLUGIN = "curlew-steps"
LOOK_SECONDS = 0.2
OVER = ("released", "cancelled", "forgotten", "erred")


class StepPlugin(WorkerPlugin):
    """A plugin that ends a worker's steps with the worker, and a step's container with its task."""

    name = PLUGIN

    def __init__(self, host: StepHost) -> None:
        self.host = host

    def transition(self, key: Any, start: str, finish: str, **kwargs: Any) -> None:
        """Kill the container of a task that the scheduler releases, because its runner is gone or drops it.

        Runs in the worker's event loop, which must not be blocked.
        """
        if start in ("executing", "cancelled") and finish in OVER:
            threading.Thread(target=self.host.stop, args=(str(key), 0.0), daemon=True).start()

    async def teardown(self, worker: Worker) -> None:
        """End all steps when the worker ends, even if it has lost its scheduler."""
        await asyncio.to_thread(self.host.close)


def perform(key: str, topic: str, sealed: str) -> None:
    """Run the task of a step. Its results are only published on the topic."""
    worker = get_worker()
    host_of(worker).perform(key, sealed, worker.address, partial(worker.log_event, topic))


def permit(attempt: str, dask_worker: Worker) -> bool:
    """Permit an attempt that waits on this worker. Return False if it no longer waits."""
    return host_of(dask_worker).permit(attempt)


async def stop(key: str, grace: float, dask_worker: Worker) -> None:
    """Stop a step on this worker."""
    await asyncio.to_thread(host_of(dask_worker).stop, key, grace)


async def list_runs(dask_worker: Worker) -> list[str]:
    """Return the runs that have containers on this worker."""
    return sorted(await asyncio.to_thread(host_of(dask_worker).runs))


async def sweep(runs: Collection[str], dask_worker: Worker) -> list[str]:
    """Remove the containers of some runs on this worker. Return the runs that had any."""
    return await asyncio.to_thread(host_of(dask_worker).sweep, runs)


def host_of(worker: Worker) -> StepHost:
    """Return the steps of a worker."""
    plugin = worker.plugins[PLUGIN]
    assert isinstance(plugin, StepPlugin)
    return plugin.host


async def drain(worker: Worker, seconds: float, began: Callable[[], object] = lambda: None) -> None:
    """Take no more steps, and wait at most `seconds` until those that have begun here have ended.

    `began` is called at the start. Steps that wait here for a slot go back to the scheduler: none of them has
    begun or has a permit.
    """
    began()
    worker.status = Status.closing_gracefully
    host, until = host_of(worker), time.monotonic() + seconds
    while worker.status is Status.closing_gracefully and time.monotonic() < until:
        for task in (*worker.state.constrained, *worker.state.ready):
            said = {"op": "reschedule", "key": task.key, "worker": worker.address}
            worker.batched_send({**said, "stimulus_id": f"drain-{time.time()}"})
        if not host.is_busy:
            return
        await asyncio.sleep(LOOK_SECONDS)


def make_worker(
    scheduler: str,
    certificates: Certificates,
    host: StepHost,
    *,
    name: str,
    slots: int,
    memory: int,
    address: str = "",
) -> Worker:
    """Return a worker for `slots` steps at once with `memory` bytes in all, listening on `address`.

    It runs in the current event loop, and ends when it loses its scheduler.
    """
    set_up()
    return Worker(
        scheduler,
        nthreads=slots,
        name=name,
        resources={SLOTS: slots, MEMORY: memory},
        security=certificates.security(),
        host=address or None,
        memory_limit=0,
        dashboard=False,
        dashboard_address=UNSEEN,
        local_directory=str(host.scratch),
        plugins=(StepPlugin(host),),
        death_timeout=10,
    )
