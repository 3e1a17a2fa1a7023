"""StepAttempt: one container of a step on a worker, from its order to its end."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

from chains.dask.folders import OTHER_STORE, receive, send_back
from chains.dask.orders import (
    LeftFolder,
    LineFlusher,
    News,
    StepEnded,
    StepLines,
    StepOrder,
    StepReady,
    StepRefused,
    StepRunning,
    StepTaken,
)
from chains.engine.port import Cause, Engine, EngineAway, EngineError, Exit, Handle, Mount, StepSpec
from chains.sharing.run_files import RunFiles
from chains.sharing.shared_images import ImageGone, ImageStore
from vfs.errors import Gone, NoSpace, Unavailable, VfsError

PERMIT_SECONDS = 20.0
NO_CODE = -1


class StepAttempt:
    """One attempt at a step.

    `perform` is called once; `permit`, `deny` and `stop` at any time, from any thread. `tell` sends news to
    the process that ordered the step. No code of the step runs before `permit`.
    """

    def __init__(
        self,
        order: StepOrder,
        folder: Path,
        engine: Engine,
        images: ImageStore,
        files: RunFiles,
        tell: Callable[[News], object],
        flusher: LineFlusher,
    ) -> None:
        self.order = order
        self._folder = folder
        self._engine = engine
        self._images = images
        self._files = files
        self._tell = tell
        self._lines = flusher.batch(lambda lines: tell(StepLines(lines)))
        self._answered = threading.Event()
        self._lock = threading.Lock()
        self._is_permitted = False
        self._grace: float | None = None
        self._handle: Handle | None = None

    def perform(self) -> None:
        """Make the container, wait for the permit, run the step to its end, and report each stage."""
        self._tell(StepTaken())
        try:
            spec = self._receive()
            self._handle = self._engine.prepare(spec)
        except (EngineError, VfsError, OSError) as error:
            self._tell(_refusal(error))
            return
        self._tell(StepReady())
        self._answered.wait(PERMIT_SECONDS)
        self.deny()
        if self._is_permitted:
            self._run(self._handle)

    def permit(self) -> bool:
        """Permit the step to begin. Return False if it was denied before or no longer waits."""
        with self._lock:
            if not self._answered.is_set():
                self._is_permitted = True
                self._answered.set()
                return True
            return False

    def deny(self) -> None:
        """Deny the step, unless it was permitted."""
        with self._lock:
            self._answered.set()

    def stop(self, grace: float) -> None:
        """Stop the step, or prevent its beginning. If repeated, only a shorter grace counts."""
        self.deny()
        with self._lock:
            if self._grace is not None and self._grace <= grace:
                return
            self._grace = grace
        if self._is_permitted and self._handle is not None:
            self._engine.stop(self._handle, grace)

    def remove(self) -> None:
        """Remove the container in any case. Raise EngineError."""
        self.deny()
        if self._handle is not None:
            self._engine.remove(self._handle)

    def _receive(self) -> StepSpec:
        """Fetch the image and the folders. Raise EngineError, VfsError or OSError."""
        order = self.order
        self._images.fetch(order.image)
        mounts = [
            receive(self._files, sent, self._folder / str(number))
            for number, sent in enumerate(order.folders)
        ]
        output = next(
            mount.source for mount, sent in zip(mounts, order.folders, strict=True) if sent.is_output
        )
        return StepSpec(
            run=order.run,
            step=order.step,
            image=order.image,
            env=order.env,
            mounts=tuple(mounts),
            output=output,
            limits=order.limits,
            network=order.network,
            replica=order.replica,
            public=frozenset(order.public),
            source=order.source,
            account=order.account,
        )

    def _run(self, handle: Handle) -> None:
        try:
            self._engine.start(handle)
            self._tell(StepRunning())
        except EngineError as error:
            self._tell(_refusal(error))
            return
        try:
            exit = self._engine.wait(handle, self._lines.add)
        except EngineError as error:
            exit = Exit(NO_CODE, Cause.LOST, str(error))
        self._lines.flush()
        self._tell(self._end(exit, handle.spec))

    def _end(self, exit: Exit, spec: StepSpec) -> StepEnded:
        """Return the end of the step, after storing the files that it left."""
        if not exit.succeeded:
            return StepEnded(exit)
        try:
            return StepEnded(exit, tuple(self._keep(spec, mount) for mount in spec.mounts if mount.writable))
        except (Unavailable, NoSpace) as error:
            return StepEnded(Exit(NO_CODE, Cause.LOST, f"what it left could not be kept: {error.detail}"))
        except VfsError as error:
            return StepEnded(Exit(NO_CODE, Cause.REFUSED, error.detail))
        except OSError as error:
            return StepEnded(Exit(NO_CODE, Cause.LOST, f"what it left could not be read: {error.strerror}"))

    def _keep(self, spec: StepSpec, mount: Mount) -> LeftFolder:
        return send_back(self._files, mount, is_output=mount.source == spec.output)


def _refusal(error: EngineError | VfsError | OSError) -> StepRefused:
    if isinstance(error, Gone):
        return StepRefused(f"{OTHER_STORE} ({error.detail})", away=True)
    if isinstance(error, VfsError):
        return StepRefused(error.detail, away=isinstance(error, Unavailable))
    if isinstance(error, OSError):
        return StepRefused(f"the worker cannot make its folders: {error.strerror or error}")
    return StepRefused(str(error), isinstance(error, EngineAway), isinstance(error, ImageGone))
