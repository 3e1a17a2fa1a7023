"""DaskEngine: runs steps in containers on other hosts, through Dask's workers."""

from __future__ import annotations

import logging
import threading
import uuid
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from distributed import Future
from distributed.scheduler import KilledWorker

from chains.dask import worker
from chains.dask.folders import OTHER_STORE, send, take_back
from chains.dask.link import SchedulerLink
from chains.dask.orders import Seal, StepOrder, StepRefused, open_letter
from chains.dask.remote_step import NO_CODE, Lost, RemoteStep
from chains.dask.scheduler import Certificates
from chains.engine.port import Cause, EngineAway, EngineError, Exit, Handle, Line, StepSpec
from chains.runs.retry import Patience
from chains.sharing.run_files import PatientRunFiles, RunFiles
from chains.sharing.shared_images import ImageGone, ImageStore
from vfs.errors import Gone, Unavailable, VfsError

AGAIN_SECONDS = 1.0
MOST_KNOWN = 10_000
FRESH = 3.0

AGAIN = "that is no fault of the job: trigger it again with the same input"

_log = logging.getLogger(__name__)


class DaskEngine:
    """An engine over the workers of a Dask scheduler (chains.engine.port.Engine).

    `command`: the shell line of an engine on this host. `patience`: seconds within which a worker must take a
    step. `missed`: called with an image that a step needs but no store has.

    A step is ordered once, and a worker begins it at most once: if a scheduler orders it again after a loss,
    it gets no permit. Only the step's worker reports its progress and its end.
    """

    def __init__(
        self,
        address: str,
        certificates: Certificates,
        images: ImageStore,
        files: RunFiles,
        seal: Seal,
        command: Callable[[StepSpec], str],
        patience: float = 60.0,
        missed: Callable[[str], object] = lambda image: None,
    ) -> None:
        """Raise EngineError for a scheduler without TLS."""
        self._link = SchedulerLink(address, certificates, f"curlew-{uuid.uuid4().hex}", self._hear)
        self._images = images
        self._over = threading.Event()
        self._files = PatientRunFiles(files, Patience(self._over))
        self._seal = seal
        self._command = command
        self._patience = patience
        self._missed = missed
        self._known: set[str] = set()
        self._lock = threading.Lock()
        self._steps: dict[str, RemoteStep] = {}
        self._futures: dict[str, Future[None]] = {}

    def command(self, spec: StepSpec) -> str:
        """Return the shell line (Engine.command) for this host, which also has the image."""
        return self._command(spec)

    def prepare(self, spec: StepSpec) -> Handle:
        """Check that a worker could run the step, and offer its image (Engine.prepare).

        No container is made yet, because an idle one would hold a slot that others wait for. If there is no
        worker now, `start` waits for one: each worker is away for a moment during an update.
        """
        rows = self._link.workers(FRESH)
        if rows and not any(row.get(worker.MEMORY, 0) >= spec.limits.memory for row in rows):
            raise EngineError(
                f"no worker has the memory that step {spec.step} may take: {spec.limits.memory:,} bytes"
            )
        for mount in spec.mounts:
            if not mount.source.is_dir():
                raise EngineError(f"the folder {mount.source} for {mount.target} is not there")
        self._offer(spec)
        step = RemoteStep(spec, f"step-{spec.run}-{uuid.uuid4().hex}", self._permit)
        with self._lock:
            self._steps[step.key] = step
        return Handle(step.key, spec)

    def start(self, handle: Handle) -> None:
        """Order the step. Return when its command runs on a worker (Engine.start)."""
        step = self._find(handle)
        if step.is_over:
            return
        sealed = self._order(handle.spec).seal(self._seal, step.key)
        future = self._link.submit(step.key, sealed, handle.spec.limits.memory)
        with self._lock:
            self._futures[step.key] = future
        future.add_done_callback(lambda done: step.hear(Lost(_reason(done))))
        try:
            refused = step.await_running(self._patience)
        except EngineAway:
            self._let_go(step)
            raise
        if refused is not None:
            self._let_go(step)
            raise self._error(refused, handle.spec)

    def wait(self, handle: Handle, tell: Callable[[Line], None]) -> Exit:
        """Pass on the lines, fetch the step's files, and return its end (Engine.wait)."""
        step = self._find(handle)
        ended = step.await_end(tell)
        self._let_go(step)
        if ended.exit.cause is Cause.LOST:
            return _loss(ended.exit.detail)
        try:
            take_back(self._files, ended.folders, handle.spec.mounts)
        except Unavailable as error:
            return _loss(f"what it left cannot be fetched: {error.detail}")
        except Gone as error:
            return _loss(f"the runner says: {OTHER_STORE} ({error.detail})")
        except VfsError as error:
            return Exit(NO_CODE, Cause.LOST, error.detail)
        except (OSError, ValueError) as error:
            return Exit(NO_CODE, Cause.LOST, f"what it left cannot be written: {error}")
        return ended.exit

    def stop(self, handle: Handle, grace: float) -> None:
        """Send SIGTERM now, SIGKILL after `grace` seconds. Repeat until the step has ended (Engine.stop)."""
        with self._lock:
            step = self._steps.get(handle.id)
        if step is None or step.ended.is_set():
            return
        if step.stop():
            name = f"stop {step.key}"
            threading.Thread(target=self._stop, args=(step, grace), name=name, daemon=True).start()

    def remove(self, handle: Handle) -> None:
        """Release a step, whose worker removes its container (Engine.remove)."""
        with self._lock:
            step = self._steps.pop(handle.id, None)
        if step is not None:
            self._drop(step)

    def sweep(self, keep: Callable[[str], bool]) -> list[str]:
        """Remove the containers of runs that `keep` refuses, on all workers (Engine.sweep).

        Does not call the workers if the scheduler is away: then they end, with their containers.
        """
        with self._lock:
            mine = [step for step in self._steps.values() if not keep(step.spec.run)]
            for step in mine:
                del self._steps[step.key]
        for step in mine:
            self._drop(step)
        swept: set[str] = {step.spec.run for step in mine}
        with suppress(EngineAway):
            there = {run for runs in self._link.ask(worker.list_runs).values() for run in runs}
            if unwanted := sorted(run for run in there if not keep(run)):
                swept.update(*self._link.ask(worker.sweep, unwanted).values())
        return sorted(swept)

    def repair(self) -> str | None:
        """Reconnect if the connection is lost. Return the fault if that does not help, else None."""
        try:
            return (
                None if self._link.workers() else f"no worker is at the Dask scheduler {self._link.address}"
            )
        except EngineError as error:
            return str(error)

    def slots(self, memory: int) -> int:
        """Return how many steps of `memory` bytes each can run at once. Raise EngineError."""
        rows = self._link.workers()
        return sum(int(min(row.get(worker.SLOTS, 0), row.get(worker.MEMORY, 0) // memory)) for row in rows)

    def close(self) -> None:
        """Close the connection. Workers stop the steps that still run."""
        self._over.set()
        self._link.close()

    def _offer(self, spec: StepSpec) -> None:
        """Offer an image to the workers, once per image, because each offer reads the store."""
        if spec.image in self._known:
            return
        try:
            self._images.fetch(spec.image)
            self._images.offer(spec.image)
        except ImageGone:
            self._missed(spec.image)
            raise EngineError(spec.image_gone) from None
        if len(self._known) >= MOST_KNOWN:
            self._known.clear()
        self._known.add(spec.image)

    def _order(self, spec: StepSpec) -> StepOrder:
        try:
            folders = tuple(send(self._files, mount, spec.output) for mount in spec.mounts)
        except VfsError as error:
            kind = EngineAway if isinstance(error, Unavailable) else EngineError
            raise kind(error.detail) from error
        except OSError as error:
            raise EngineError(f"what step {spec.step} reads cannot be read: {error}") from error
        return StepOrder(
            run=spec.run,
            step=spec.step,
            image=spec.image,
            env=spec.env,
            public=tuple(sorted(spec.public)),
            folders=folders,
            limits=spec.limits,
            network=spec.network,
            replica=spec.replica,
            source=spec.source,
            account=spec.account,
        )

    def _hear(self, said: dict[str, Any]) -> None:
        """Pass a letter on to its step. Runs in the thread of the connection."""
        with self._lock:
            step = self._steps.get(str(said.get("key")))
        if step is None:
            return
        try:
            step.hear(open_letter(said, self._seal))
        except EngineError as error:
            step.hear(Lost(str(error)))

    def _permit(self, address: str, attempt: str) -> bool:
        """Permit an attempt on a worker. Return whether the worker confirms that it begins."""
        return bool(self._link.ask(worker.permit, attempt, workers=[address]).get(address))

    def _stop(self, step: RemoteStep, grace: float) -> None:
        """Send stops to a step's worker until the step has ended, since a call may get lost."""
        while not step.ended.is_set():
            try:
                self._link.ask(worker.stop, step.key, grace, workers=[step.worker])
            except EngineError as error:
                _log.warning("step %s cannot be stopped yet: %s", step.key, error)
            step.ended.wait(AGAIN_SECONDS)

    def _error(self, refused: StepRefused, spec: StepSpec) -> EngineError:
        if refused.image_gone:
            self._known.discard(spec.image)
            self._missed(spec.image)
            return EngineError(spec.image_gone)
        return EngineAway(refused.reason) if refused.away else EngineError(refused.reason)

    def _drop(self, step: RemoteStep) -> None:
        """Drop a step. If it may still run, the scheduler notifies its worker, which kills it."""
        step.stop()
        step.hear(Lost("it was removed"))
        self._let_go(step)

    def _let_go(self, step: RemoteStep) -> None:
        """Release the task of a step: the scheduler drops it, and a worker that still runs it ends it."""
        step.ended.set()
        with self._lock:
            future = self._futures.pop(step.key, None)
        if future is not None:
            future.release()

    def _find(self, handle: Handle) -> RemoteStep:
        with self._lock:
            if handle.id not in self._steps:
                raise EngineError(f"the container of step {handle.spec.step} was removed")
            return self._steps[handle.id]


def _loss(why: str) -> Exit:
    return Exit(NO_CODE, Cause.LOST, f"{why.rstrip('.')}; {AGAIN}")


def _reason(future: Future[None]) -> str:
    """Return why there is no more news of a step whose task has ended."""
    if future.status == "error":
        error = future.exception(timeout=1)
        if isinstance(error, KilledWorker):
            return f"the worker {error.last_worker.address} was lost"
        return str(error)
    if future.status == "cancelled":
        return "the connection to the Dask scheduler was lost"
    return "its worker ended it without a report"
