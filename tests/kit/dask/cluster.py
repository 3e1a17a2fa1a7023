"""A Dask cluster in this process: a scheduler, and workers whose steps run in engines of a test's choice."""

from __future__ import annotations

import asyncio
import itertools
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self, TypeVar

from distributed import Scheduler, Worker

from chains.dask.engine import DaskEngine
from chains.dask.orders import Seal
from chains.dask.scheduler import Certificates, make_scheduler
from chains.dask.step_host import StepHost
from chains.dask.worker import make_worker
from chains.engine.port import Engine
from chains.sharing.run_files import RunFiles
from chains.sharing.shared_images import ImageStore
from tests.kit.dask.certificates import make_certificates

T = TypeVar("T")

SLOTS = 16
"""More than runners of tests take at once: what waits for its turn does so there."""

PATIENCE = 20.0


class Cluster:
    """A scheduler and its workers in a separate event loop, below a folder; ends with the block."""

    def __init__(self, folder: Path, images: ImageStore, files: RunFiles, seal: Seal) -> None:
        self.folder = folder
        self.certificates = make_certificates(folder / "tls")
        self.images, self.files, self.seal = images, files, seal
        self.hosts: dict[str, StepHost] = {}
        self.workers: dict[str, Worker] = {}
        self._numbers = itertools.count(1)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="cluster", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        self.scheduler = self.act(self._schedule)
        return self

    def __exit__(self, *error: object) -> None:
        for name in list(self.workers):
            self.end_worker(name)
        self.act(self.scheduler.close)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()

    @property
    def address(self) -> str:
        """Where the scheduler listens."""
        return str(self.scheduler.address)

    def act(self, make: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Do something in the cluster's loop, and wait for it."""
        return asyncio.run_coroutine_threadsafe(make(), self._loop).result(60)

    def add_worker(
        self,
        engine: Engine,
        *,
        slots: int = 4,
        memory: int = 1 << 36,
        certificates: Certificates | None = None,
        images: ImageStore | None = None,
    ) -> str:
        """Start a worker over an engine, and over images of its own where it is given some; its name."""
        name = f"host-{next(self._numbers)}"
        host = StepHost(engine, images or self.images, self.files, self.seal, self.folder / name)

        async def start() -> Worker:
            shown = certificates or self.certificates
            worker = make_worker(
                self.address, shown, host, name=name, slots=slots, memory=memory, address="127.0.0.1"
            )
            await worker
            return worker

        self.hosts[name], self.workers[name] = host, self.act(start)
        return name

    @contextmanager
    def over(self, engine: Engine, images: ImageStore) -> Iterator[DaskEngine]:
        """An engine of a runner whose steps run on a worker over that engine and its images, the only one."""
        name = self.add_worker(engine, slots=SLOTS, images=images)
        far = DaskEngine(
            self.address, self.certificates, images, self.files, self.seal, engine.command, PATIENCE
        )
        try:
            yield far
        finally:
            far.close()
            self.end_worker(name)

    def end_worker(self, name: str) -> None:
        """Have a worker end in order."""
        self.act(self.workers.pop(name).close)

    async def _schedule(self) -> Scheduler:
        scheduler = make_scheduler("tls://127.0.0.1:0", self.certificates)
        await scheduler
        return scheduler
