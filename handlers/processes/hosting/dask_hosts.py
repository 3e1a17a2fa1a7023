"""Steps on several hosts, by Dask: the engine over its workers, the scheduler, and the worker."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from chains.dask.engine import DaskEngine
from chains.dask.link import require_scheduler
from chains.dask.orders import Seal
from chains.dask.scheduler import Certificates, make_scheduler, serve
from chains.dask.step_host import StepHost
from chains.dask.worker import drain, make_worker
from chains.engine.port import Engine, EngineAway
from chains.files.folder_lock import hold_lock
from chains.host.program import Tell, tell_nobody
from chains.runner.environment import API_ROOTS
from chains.sharing.run_files import KeptRunFiles
from chains.sharing.shared_images import ImageStore, LocalImages
from handlers.processes.api_proxy import MARKED
from handlers.processes.boxes import image_store
from handlers.processes.hosting.podman_host import host_of, offering, podman_engine, require_own_folder
from handlers.settings.settings import Settings
from storage.bytes.blobs import FileBlobs
from storage.bytes.seal import FileSeal
from storage.upkeep.clocks import WallClock
from vfs.errors import Unavailable
from vfs.ports.blobs import Blobs


def certificates_of(settings: Settings) -> Certificates:
    """Return the certificates of this host. Raises Unavailable if one is missing."""
    found = [Path(name) for name in (settings.dask_tls_ca, settings.dask_tls_cert, settings.dask_tls_key)]
    if missing := [file for file in found if not file.is_file()]:
        raise Unavailable(f"the file {missing[0]}, which the settings name for dask, is missing")
    return Certificates(*found)


@contextmanager
def dask_engine(
    settings: Settings,
    images: ImageStore,
    blobs: Blobs,
    seal: Seal,
    local: Engine,
    missed: Callable[[str], object],
) -> Iterator[DaskEngine]:
    """Yield the engine over the scheduler's workers; `local`, that of this host, runs none of their steps."""
    engine = DaskEngine(
        settings.dask_scheduler,
        certificates_of(settings),
        images,
        KeptRunFiles(blobs),
        seal,
        local.command,
        settings.dask_step_wait,
        missed,
    )
    try:
        yield engine
    finally:
        engine.close()


AFTERWARDS = 30.0
"""Maximum seconds in which unfinished steps are stopped and Podman ends."""


def run_worker(
    settings: Settings,
    stop: threading.Event,
    ready: Callable[[], object],
    leaving: Callable[[float], object],
    tell: Tell = tell_nobody,
) -> None:
    """Run as the folder's one worker until `stop` is set and its steps have ended or timed out.

    `leaving` gets the seconds that the end may take.

    Raises EngineError if no container can run on this machine, EngineAway if the scheduler is lost or
    missing, and Unavailable without the installation's key.
    """
    require_dask(settings)
    seal = key_of(settings)
    require_own_folder(settings.runner_home)
    # Before anything is created here, as systemd restarts a refused worker again and again.
    require_scheduler(settings.dask_scheduler, certificates_of(settings))
    with hold_lock(settings.runner_home, stop) as mine:
        if mine:
            _work(settings, seal, stop, ready, leaving, tell)


def run_scheduler(settings: Settings, stop: threading.Event, ready: Callable[[], object]) -> None:
    """Run as the scheduler until `stop` is set. Raises EngineAway if it cannot listen, and EngineError."""
    require_dask(settings)
    address = settings.dask_scheduler
    try:
        serve(partial(make_scheduler, address, certificates_of(settings)), stop, ready)
    except EngineAway as error:
        raise EngineAway(
            f"{error}: dask_scheduler ({address}) has to be an address of the host where the scheduler runs, "
            "with a port that is free"
        ) from error


def require_dask(settings: Settings) -> None:
    """Raise Unavailable if the settings say that steps run without workers."""
    if not settings.has_dask:
        raise Unavailable('steps do not run on workers here: engine = "dask" in the settings has them do so')


def key_of(settings: Settings) -> FileSeal:
    """Return the installation's key, which is never created on a host without one. Raises Unavailable."""
    if not settings.key.is_file():
        raise Unavailable(
            f"there is no key at {settings.key}: copy the runner's key_file there, since all that is "
            "sent to a worker is encrypted with it"
        )
    return FileSeal(settings.key)


def _work(
    settings: Settings,
    seal: FileSeal,
    stop: threading.Event,
    ready: Callable[[], object],
    leaving: Callable[[float], object],
    tell: Tell,
) -> None:
    host = host_of(settings, tell)
    files = KeptRunFiles(FileBlobs(settings.blobs, WallClock()))
    try:
        host.ensure()
        with (
            offering(settings, host, settings.base_url or None, seal.mark(MARKED)) as api_root,
            podman_engine(host, lambda image: None) as engine,
        ):
            own = dict.fromkeys(API_ROOTS, api_root)
            images = image_store(settings, host) or LocalImages()
            steps = StepHost(engine, images, files, seal, settings.runner_home / "steps", own)
            make = partial(
                make_worker,
                settings.dask_scheduler,
                certificates_of(settings),
                steps,
                name=f"{socket.gethostname()}-{host.instance}",
                slots=settings.slots,
                memory=settings.worker_memory or settings.slots * settings.memory,
            )
            seconds = settings.worker_drain
            leave = partial(drain, seconds=seconds, began=partial(leaving, seconds + AFTERWARDS))
            try:
                serve(make, stop, ready, leave)
            finally:
                steps.close()
    finally:
        host.stop()
