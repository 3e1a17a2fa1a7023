"""The embedded web server: gunicorn with our own worker class, configured in this module only."""

from __future__ import annotations

import ctypes
import gc
import signal
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from gunicorn.app.base import BaseApplication
from gunicorn.arbiter import Arbiter
from gunicorn.glogging import Logger

from handlers.security.log_lines import PlainLines
from handlers.server.application import Occupancy, ServedApplication
from handlers.server.limits import LONGEST_HEADER, LONGEST_LINE, MOST_HEADERS, ClientLimits
from handlers.server.processes import (
    READY,
    STOP_SIGNALS,
    STOPPING,
    UNTIL_READY,
    EventWorker,
    Predecessors,
    Supervisor,
    run_anew,
)
from handlers.server.refusals import CountRefusal

# A worker is killed only if it stops to report to the arbiter; a request may take any time.
STUCK_SECONDS = 120
# The option of mallopt(3) for the size from which blocks have their own pages, and its value in bytes: as
# large as pieces of bodies, so that the memory of many of them is returned after the last one.
MMAP_THRESHOLD = -3
LARGE_BLOCK = 64 << 10


def _nothing() -> None:
    """Do nothing."""


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """Options of the web server.

    `graceful`: seconds for open requests after SIGTERM. `limits`: those of each worker. `started` is called
    with the addresses once the sockets are open, `worker_begins` and `worker_ends` in each worker, `watch`
    about once a second with its load, and `count_refusal` for each refusal before the application is called.
    The environment variables `once` apply to the first start only, not to a restart by SIGHUP.
    """

    bind: str = "127.0.0.1:8000"
    workers: int = 2
    threads: int = 256
    graceful: int = 30
    limits: ClientLimits = ClientLimits()  # noqa: RUF009
    started: Callable[[list[str]], None] = lambda addresses: None
    worker_begins: Callable[[], None] = _nothing
    worker_ends: Callable[[], None] = _nothing
    watch: Callable[[Occupancy], object] = lambda occupancy: None
    count_refusal: CountRefusal = lambda word, answered: None
    once: Sequence[str] = ()


class ServerLog(Logger):  # type: ignore[misc]
    """gunicorn's log, with one line for each record."""

    def setup(self, cfg: Any) -> None:
        """Set up the log as gunicorn does, except for the format of lines."""
        super().setup(cfg)
        for handler in self.error_log.handlers:
            handler.setFormatter(PlainLines(self.error_fmt, self.datefmt))


class Server(BaseApplication):  # type: ignore[misc]
    """Serves the application that `load` makes once, before the workers are forked.

    It must open no connection, start no thread and touch no renderer until a request comes.
    """

    def __init__(self, load: Callable[[], ServedApplication], options: ServerOptions) -> None:
        self._make = load
        self._options = options
        self.limits, self.watch, self.count_refusal = options.limits, options.watch, options.count_refusal
        super().__init__()

    def load_config(self) -> None:
        """Set gunicorn's configuration."""
        options = self._options
        chosen = {
            "bind": [options.bind],
            "workers": options.workers,
            "threads": options.threads,
            "worker_class": EventWorker,
            "graceful_timeout": options.graceful,
            "timeout": STUCK_SECONDS,
            "preload_app": True,
            "control_socket_disable": True,
            "accesslog": None,
            "loglevel": "warning",
            "logger_class": ServerLog,
            # Always the parser that is tested, no matter which others are installed.
            "http_parser": "python",
            "limit_request_line": LONGEST_LINE,
            "limit_request_field_size": LONGEST_HEADER,
            "limit_request_fields": MOST_HEADERS,
            "when_ready": self._on_ready,
            "post_worker_init": lambda worker: options.worker_begins(),
            "worker_exit": lambda arbiter, worker: options.worker_ends(),
        }
        for name, value in chosen.items():
            self.cfg.set(name, value)

    def _on_ready(self, arbiter: Any) -> None:
        """Report the addresses."""
        self._options.started([_url(listener) for listener in arbiter.LISTENERS])

    def run(self) -> None:
        """Serve until a signal stops the process."""
        Master(self, self._options.once).run()

    def load(self) -> ServedApplication:
        """Make the application."""
        return_large_blocks()
        application = self._make()
        # Objects from before the fork are permanent: without garbage collection of them, workers go on to
        # share their memory pages.
        gc.collect()
        gc.freeze()
        return application


class Master(Arbiter):  # type: ignore[misc]
    """Gunicorn's arbiter, whose workers lose no signal before they have their own handlers.

    SIGHUP executes the program again in the same process, with present settings and code. Gunicorn itself
    notifies systemd when it is ready.
    """

    def __init__(self, app: Server, once: Sequence[str]) -> None:
        self._once = once
        self._predecessors = Predecessors()
        self._supervisor = Supervisor()
        super().__init__(app)

    def init_signals(self) -> None:
        """Handle signals, including those that arrived while the program started."""
        super().init_signals()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, UNTIL_READY)

    def spawn_workers(self) -> None:
        """Fork missing workers; then those of the previous program may end."""
        super().spawn_workers()
        self._predecessors.end(self.cfg.graceful_timeout)

    def spawn_worker(self) -> Any:
        """Fork a worker; signals are blocked until `EventWorker.init_signals`."""
        signal.pthread_sigmask(signal.SIG_BLOCK, STOP_SIGNALS)
        try:
            return super().spawn_worker()
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)

    def murder_workers(self) -> None:
        """Kill workers that do not report, and late ones of the previous program."""
        super().murder_workers()
        self._predecessors.kill_late(self.WORKERS)

    def reload(self) -> None:
        """Execute the program again; its workers replace these."""
        self._supervisor.tell_reloading()
        try:
            run_anew([listener.sock for listener in self.LISTENERS], [*self.WORKERS], self._once)
        except OSError as error:
            self.log.error("the program cannot be restarted, this one continues: %s", error)
            self._supervisor.tell(READY)

    def stop(self, graceful: bool = True) -> None:
        """Stop the workers; they finish open requests first."""
        self._supervisor.tell(STOPPING)
        super().stop(graceful)


def return_large_blocks() -> None:
    """Make glibc return large blocks of memory to the system when they are freed.

    By default its threshold grows, in each thread.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(MMAP_THRESHOLD, LARGE_BLOCK)


def _url(listener: Any) -> str:
    name = listener.sock.getsockname()
    if isinstance(name, str | bytes):
        return f"unix:{name if isinstance(name, str) else name.decode()}"
    host = f"[{name[0]}]" if ":" in name[0] else name[0]
    return f"http://{host}:{name[1]}"
