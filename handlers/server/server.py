"""The web server, embedded: gunicorn with a worker of our own, set up here and nowhere else."""

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

# A worker is only ended for not answering the arbiter at all; a request may take as long as it likes.
STUCK_SECONDS = 120
# The option of mallopt(3) for the size from which blocks have pages of their own, and its value in bytes:
# pieces of bodies are as large, and the memory that a burst of them took goes back with the last one.
MMAP_THRESHOLD = -3
LARGE_BLOCK = 64 << 10


def _nothing() -> None:
    """Do nothing."""


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """Options of the web server.

    `graceful` seconds open requests may go on after SIGTERM; `limits` are those of each worker. `started` is
    given the addresses once the sockets are open, `worker_begins` and `worker_ends` are called in each
    worker, `watch` about once a second with what it has in hand, and `count_refusal` for all that it turns
    away before the application answers. The environment variables `once` are for
    the first start alone, and not for one by SIGHUP.
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
    """gunicorn's log, a line for each record."""

    def setup(self, cfg: Any) -> None:
        """Set it up as gunicorn does, but for the form of its lines."""
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
        """Tell gunicorn how to serve."""
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
            # What is tested is what is served, whichever other parser happens to be installed.
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
        """Serve until a signal says to stop."""
        Master(self, self._options.once).run()

    def load(self) -> ServedApplication:
        """Make the application."""
        return_large_blocks()
        application = self._make()
        # What is there before the workers are forked stays: it need not be looked through for garbage again,
        # nor do their pages of it come apart.
        gc.collect()
        gc.freeze()
        return application


class Master(Arbiter):  # type: ignore[misc]
    """Gunicorn's arbiter, whose workers miss no signal before they have handlers of their own.

    SIGHUP runs the program anew in the same process, with the settings and the code of now. Gunicorn itself
    tells systemd that it is ready.
    """

    def __init__(self, app: Server, once: Sequence[str]) -> None:
        self._once = once
        self._predecessors = Predecessors()
        self._supervisor = Supervisor()
        super().__init__(app)

    def init_signals(self) -> None:
        """Take the signals, those too that came while the program started."""
        super().init_signals()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, UNTIL_READY)

    def spawn_workers(self) -> None:
        """Fork the workers that are missing; then those of the program of before may end."""
        super().spawn_workers()
        self._predecessors.end(self.cfg.graceful_timeout)

    def spawn_worker(self) -> Any:
        """Fork a worker. It takes signals from `EventWorker.init_signals` on; until then they wait for it."""
        signal.pthread_sigmask(signal.SIG_BLOCK, STOP_SIGNALS)
        try:
            return super().spawn_worker()
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)

    def murder_workers(self) -> None:
        """Kill workers that do not answer, and those of before that do not end."""
        super().murder_workers()
        self._predecessors.kill_late(self.WORKERS)

    def reload(self) -> None:
        """Run the program anew; its workers take over from these."""
        self._supervisor.tell_reloading()
        try:
            run_anew([listener.sock for listener in self.LISTENERS], [*self.WORKERS], self._once)
        except OSError as error:
            self.log.error("the program cannot be started anew, this one goes on: %s", error)
            self._supervisor.tell(READY)

    def stop(self, graceful: bool = True) -> None:
        """Have the workers end, open requests first."""
        self._supervisor.tell(STOPPING)
        super().stop(graceful)


def return_large_blocks() -> None:
    """Have large blocks of memory go back to the system once they are free, where the C library is glibc.

    By default it keeps more and more of them, for every thread anew.
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
