"""The engine over Dask's workers, from the settings."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from chains.dask.engine import DaskEngine
from chains.dask.orders import Seal
from chains.dask.scheduler import Certificates
from chains.engine.port import Engine
from chains.sharing.run_files import KeptRunFiles
from chains.sharing.shared_images import ImageStore
from handlers.settings.settings import Settings
from vfs.errors import Unavailable
from vfs.ports.blobs import Blobs


def certificates_of(settings: Settings) -> Certificates:
    """Return the certificates of this host. Raises Unavailable if one is missing."""
    found = [Path(name) for name in (settings.dask_tls_ca, settings.dask_tls_cert, settings.dask_tls_key)]
    if missing := [file for file in found if not file.is_file()]:
        raise Unavailable(f"the file {missing[0]}, which the settings name for dask, is not there")
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
