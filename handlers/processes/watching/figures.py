"""The process of `curlew metrics`: figures for Prometheus, on its own listener."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable, Iterable, Mapping
from importlib.metadata import version
from pathlib import Path

from prometheus_client import CollectorRegistry
from prometheus_client.metrics_core import Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from chains.files.folder_lock import make_folder
from chains.host.host_limits import host_limits
from handlers.metrics.count_files import FOLDER
from handlers.metrics.listener import ScrapeServer
from handlers.metrics.run_store_figures import FiguresCollector, RunStoreCollector
from handlers.processes.database import open_database
from handlers.processes.listening import why_not_listen
from handlers.rendering.port import RendererBusy
from handlers.rendering.socket_service import SOCKET, RemoteRenderer
from handlers.settings.settings import Settings
from storage.backup.backup import LAST_BACKUP
from storage.database.database import Database
from storage.upkeep.clocks import WallClock
from storage.upkeep.overview import StoredOverview
from vfs.errors import Unavailable


def run(settings: Settings, stop: threading.Event, ready: Callable[[], object]) -> None:
    """Serve the metrics of the data folder until `stop` is set. Raises Unavailable if that is impossible."""
    database = open_database(settings)
    try:
        with listener(settings, registry_of(settings, database)) as server:
            threading.Thread(target=server.serve_forever, name="scrapes", daemon=True).start()
            ready()
            stop.wait()
            server.shutdown()
    finally:
        database.close()


def listener(settings: Settings, registry: CollectorRegistry) -> ScrapeServer:
    """Return the listener at its address. Raises Unavailable if it cannot listen."""
    try:
        return ScrapeServer(settings.metrics_address, registry)
    except (OSError, UnicodeError) as error:
        why = why_not_listen(error, settings.metrics_address[0])
        raise Unavailable(
            f"nothing can listen on {settings.metrics}: {why}; the setting metrics names another address"
        ) from error


def registry_of(settings: Settings, database: Database) -> CollectorRegistry:
    """Return the registry of all metrics."""
    clock, counts = WallClock(), settings.folder / FOLDER
    make_folder(counts)
    registry = CollectorRegistry()
    overview = StoredOverview(database, clock, settings.quota_limits)
    registry.register(RunStoreCollector(overview, clock, database.session))
    for collector in (
        FiguresCollector("info", "The version that runs.", "version", lambda: {version("curlew"): 1}),
        FiguresCollector("disk_bytes", "The data folder's disk.", "room", lambda: disk(settings)),
        FiguresCollector(
            "limit_near", "Whether a limit of the machine is near.", "limit", lambda: limits(settings)
        ),
        FiguresCollector("backup_seconds", "When a backup was written.", "state", lambda: backups(settings)),
        FiguresCollector("renders", "Orders of the rendering service.", "state", lambda: renders(settings)),
    ):
        registry.register(collector)
    registry.register(Counts(str(counts)))
    return registry


class Counts(Collector):
    """Counts of the web processes, from their files."""

    def __init__(self, folder: str) -> None:
        self._files = MultiProcessCollector(None, folder)  # type: ignore[no-untyped-call]

    def collect(self) -> Iterable[Metric]:
        """Read the files; retry if a new process took one over meanwhile."""
        try:
            found: Iterable[Metric] = self._files.collect()  # type: ignore[no-untyped-call]
        except FileNotFoundError:
            found = self._files.collect()  # type: ignore[no-untyped-call]
        return found


def count_answers(folder: Path) -> Mapping[str, float]:
    """Return the number of answered requests by status, since the data folder's web server began."""
    found: dict[str, float] = {}
    for family in Counts(str(folder / FOLDER)).collect() if (folder / FOLDER).is_dir() else ():
        for sample in family.samples:
            if sample.name == "curlew_requests_total":
                found[sample.labels["status"]] = found.get(sample.labels["status"], 0.0) + sample.value
    return found


def disk(settings: Settings) -> Mapping[str, float]:
    """Return the bytes of the data folder's disk: all, and those free for unprivileged processes."""
    usage = shutil.disk_usage(settings.folder)
    return {"total": usage.total, "free": usage.free}


def limits(settings: Settings) -> Mapping[str, float]:
    """Return 1 for each limit of the machine that is nearly reached, and 0 for the others."""
    return {limit.key: float(limit.is_near) for limit in host_limits(settings.folder)}


def backups(settings: Settings) -> Mapping[str, float]:
    """Return the time of the last whole backup, in seconds since 1970; 0 if there was none."""
    try:
        return {"written": (settings.folder / LAST_BACKUP).stat().st_mtime}
    except FileNotFoundError:
        return {"written": 0.0}


def renders(settings: Settings) -> Mapping[str, float]:
    """Return the active orders of the rendering service; empty if it does not answer."""
    try:
        return {"in_hand": RemoteRenderer(settings.folder / SOCKET).count_orders()}
    except RendererBusy:
        return {}
