"""The composition of the rendering service: confined processes behind a socket of the data folder."""

from __future__ import annotations

import threading
from collections.abc import Callable

from handlers.rendering.pool import PoolLimits, RenderPool
from handlers.rendering.socket_service import SOCKET, RenderServer
from handlers.settings import Settings


def run(settings: Settings, stop: threading.Event, ready: Callable[[], object]) -> None:
    """Be the rendering service until `stop` is set. Raises RenderFailed when no process can be confined."""
    pool = RenderPool(
        PoolLimits(
            settings.render_processes,
            settings.render_waiting,
            settings.render_seconds,
            settings.render_memory,
        )
    )
    pool.start()
    with RenderServer(settings.folder / SOCKET, pool) as server:
        thread = threading.Thread(target=server.serve_forever, name="renders", daemon=True)
        thread.start()
        ready()
        stop.wait()
        server.shutdown()
    pool.close()
