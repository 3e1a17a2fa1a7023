"""The worker: a Dask worker whose tasks are steps, and what may be asked of it out of band."""

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

from chains.dask.certificates import Certificates
from chains.dask.scheduler import UNSEEN, set_up
from chains.dask.step_host import StepHost

SLOTS = "slots"
MEMORY = "memory"
PLUGIN = "curlew-steps"
LOOK_SECONDS = 0.2
OVER = ("released", "cancelled", "forgotten", "erred")


class StepPlugin(WorkerPlugin):
    """Ties a worker's steps to the worker's life, and a step's container to the life of its task."""

    name = PLUGIN

    def __init__(self, host: StepHost) -> None:
        self.host = host

    def transition(self, key: Any, start: str, finish: str, **kwargs: Any) -> None:
        """Kill the container of a task that the scheduler lets go of: its runner is gone, or lets it go.

        Called in the worker's event loop, where nothing may take long.
        """
        if start in ("executing", "cancelled") and finish in OVER:
            threading.Thread(target=self.host.stop, args=(str(key), 0.0), daemon=True).start()

    async def teardown(self, worker: Worker) -> None:
        """End all steps when the worker ends, so also when it is cut off from its scheduler."""
        await asyncio.to_thread(self.host.close)


def perform(key: str, topic: str, sealed: str) -> None:
    """The task of a step: what comes of it is told on the topic alone."""
    worker = get_worker()
    host_of(worker).perform(key, sealed, worker.address, partial(worker.log_event, topic))


def permit(attempt: str, dask_worker: Worker) -> bool:
    """Let an attempt begin that waits on the worker that is asked; False when it waits no longer."""
    return host_of(dask_worker).permit(attempt)


async def stop(key: str, grace: float, dask_worker: Worker) -> None:
    """Stop a step on the worker that is asked."""
    await asyncio.to_thread(host_of(dask_worker).stop, key, grace)


async def list_runs(dask_worker: Worker) -> list[str]:
    """The runs that have containers on the worker that is asked."""
    return sorted(await asyncio.to_thread(host_of(dask_worker).runs))


async def sweep(runs: Collection[str], dask_worker: Worker) -> list[str]:
    """Remove the containers of some runs on the worker that is asked; those that had any."""
    return await asyncio.to_thread(host_of(dask_worker).sweep, runs)


def host_of(worker: Worker) -> StepHost:
    """The steps of a worker."""
    plugin = worker.plugins[PLUGIN]
    assert isinstance(plugin, StepPlugin)
    return plugin.host


async def drain(worker: Worker, seconds: float, began: Callable[[], object] = lambda: None) -> None:
    """Take no more steps, and wait until those that have begun here have ended, `seconds` at most.

    `began` is told when it begins. What waits here for a slot goes back to the scheduler: nothing of it has
    begun, and it has no permit yet.
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
    """A worker for `slots` steps at once that take `memory` bytes together; it listens on `address`.

    It runs in the event loop in which it is made, and ends by itself when its scheduler is lost.
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
