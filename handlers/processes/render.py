"""The composition of the rendering service: confined processes behind a socket of the data folder."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from contextlib import suppress

from chains.files.folder_lock import hold_lock, make_folder
from handlers.rendering.confinement import try_confinement
from handlers.rendering.pool import RenderPool, SingleFlight
from handlers.rendering.port import RendererBusy
from handlers.rendering.render_process import PoolLimits
from handlers.rendering.socket_service import SOCKET, RenderServer
from handlers.settings.settings import Settings
from vfs.errors import Unavailable

IDLE_SECONDS = 600.0
"""Seconds without an order after which all rendering processes but one end; each takes at least 140 MiB."""

log = logging.getLogger("curlew")


def run(settings: Settings, stop: threading.Event, ready: Callable[[], object]) -> None:
    """Run as the rendering service of the data folder until `stop` is set.

    Raises Unavailable if no process can be confined, or the folder cannot be used.
    """
    folder = (settings.folder / SOCKET).parent
    try:
        make_folder(folder)
    except OSError as error:
        raise Unavailable(f"the folder {folder} cannot be made: {error.strerror}") from error
    with hold_lock(folder, stop, "renderer") as mine:
        if mine:
            _serve(settings, stop, ready)


def pool_of(settings: Settings) -> RenderPool:
    """Return the confined processes that the settings allow."""
    return RenderPool(
        PoolLimits(
            settings.render_processes,
            settings.render_waiting,
            settings.render_seconds,
            settings.render_memory,
        )
    )


def _serve(settings: Settings, stop: threading.Event, ready: Callable[[], object]) -> None:
    """Run as the folder's one rendering service."""
    for sentence in try_confinement().concerns:
        log.warning("%s; see curlew doctor", sentence)
    pool = pool_of(settings)
    with RenderServer(settings.folder / SOCKET, SingleFlight(pool)) as server:
        server.is_starting = True
        threading.Thread(target=_answer, args=(server, stop), name="renders", daemon=True).start()
        # Load in advance, as that takes seconds: only orders that come meanwhile wait. A failure is logged,
        # and the next order tries again.
        with suppress(RendererBusy):
            pool.warm_up()
        server.is_starting = False
        ready()
        while not stop.wait(IDLE_SECONDS / 2):
            pool.rest(IDLE_SECONDS)
    pool.close()


def _answer(server: RenderServer, stop: threading.Event) -> None:
    """Answer orders; if no more can be accepted, end the service, so that its supervisor restarts it."""
    try:
        server.serve_forever()
    finally:
        stop.set()
