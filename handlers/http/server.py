"""The web server, embedded: gunicorn with threads, set up here and nowhere else."""

from __future__ import annotations

import contextlib
import gc
import logging
import select
import signal
import socket
import struct
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

from gunicorn.app.base import BaseApplication
from gunicorn.arbiter import Arbiter
from gunicorn.http.errors import (
    ExpectationFailed,
    InvalidResponseHeader,
    InvalidResponseHeaderName,
    LimitRequestHeaders,
    LimitRequestLine,
    ParseException,
    UnsupportedTransferCoding,
)
from gunicorn.workers.gthread import ThreadWorker

from handlers.http.problems import raw_answer
from handlers.http.worker_threads import Job, LeaderFollowers, LoopCalls

LONGEST_LINE = 8190
LONGEST_HEADER = 16_384
MOST_HEADERS = 100
KEEP_ALIVE_SECONDS = 15
CONNECTIONS = 2000
# A worker is only ended for not answering the arbiter at all; a request may take as long as it likes.
STUCK_SECONDS = 120
# How long a thread stays with a connection that nobody competes with, for its next request.
SOON_SECONDS = 0.05
# What of a body that was refused unread is taken off the line.
MOST_UNREAD = 64 << 20
UNREAD_SECONDS = 5
STOP_SIGNALS = frozenset({signal.SIGTERM, signal.SIGINT, signal.SIGQUIT})

Wsgi = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


def _nothing() -> None:
    """Do nothing."""


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """Options of the web server.

    `graceful` seconds open requests may go on after SIGTERM; `silence` seconds a client may neither send nor
    take anything that is waited for. `started` is given the addresses once the sockets are open,
    `worker_begins` and `worker_ends` are called in each worker.
    """

    bind: str = "127.0.0.1:8000"
    workers: int = 2
    threads: int = 256
    graceful: int = 30
    silence: int = 60
    started: Callable[[list[str]], None] = lambda addresses: None
    worker_begins: Callable[[], None] = _nothing
    worker_ends: Callable[[], None] = _nothing


class Server(BaseApplication):  # type: ignore[misc]
    """Serves the application that `load` makes once, before the workers are forked.

    It must open no connection, start no thread and touch no renderer until a request comes.
    """

    def __init__(self, load: Callable[[], Wsgi], options: ServerOptions) -> None:
        self._make = load
        self._options = options
        super().__init__()

    def load_config(self) -> None:
        """Tell gunicorn how to serve."""
        options = self._options
        chosen = {
            "bind": [options.bind],
            "workers": options.workers,
            "threads": options.threads,
            "worker_class": WebWorker,
            "worker_connections": CONNECTIONS,
            "graceful_timeout": options.graceful,
            "timeout": STUCK_SECONDS,
            "keepalive": KEEP_ALIVE_SECONDS,
            "preload_app": True,
            "control_socket_disable": True,
            "accesslog": None,
            "loglevel": "warning",
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
        """Set the timeouts of connections, which they inherit from the listening socket; report addresses."""
        patience = struct.pack("@ll", self._options.silence, 0)
        for listener in arbiter.LISTENERS:
            listener.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, patience)
            listener.sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, patience)
        self._options.started([_url(listener) for listener in arbiter.LISTENERS])

    def run(self) -> None:
        """Serve until a signal says to stop."""
        Master(self).run()

    def load(self) -> Wsgi:
        """Make the application."""
        # Odd multipart bodies are answered to their senders and need no lines in the service's log.
        logging.getLogger("python_multipart").setLevel(logging.ERROR)
        logging.getLogger("gunicorn.error").addFilter(_is_of_interest)
        application = self._make()
        # What is there before the workers are forked stays: it need not be looked through for garbage again,
        # nor do their pages of it come apart.
        gc.collect()
        gc.freeze()
        return application


class Master(Arbiter):  # type: ignore[misc]
    """Gunicorn's arbiter, whose workers miss no signal before they have handlers of their own."""

    def spawn_worker(self) -> Any:
        """Fork a worker that takes signals from `WebWorker.init_signals` on: they wait for it until then."""
        signal.pthread_sigmask(signal.SIG_BLOCK, STOP_SIGNALS)
        try:
            return super().spawn_worker()
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)


class WebWorker(ThreadWorker):  # type: ignore[misc]
    """Gunicorn's threaded worker with leader/followers threads and the one shape of error bodies."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.method_queue = LoopCalls()

    def init_signals(self) -> None:
        """Take the signals, those too that came since the fork."""
        super().init_signals()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)

    def get_thread_pool(self) -> LeaderFollowers:
        """The threads that requests are handled in."""
        return LeaderFollowers(self.cfg.threads, self.method_queue.wake)

    def enqueue_req(self, conn: Any) -> None:
        """Handle the next request of a connection in one of them."""
        self.tpool.submit(self.handle, partial(self._after_handling, conn), conn)

    def wait_for_and_dispatch_events(self, timeout: float) -> None:
        """Wait for the next events, once what the last ones asked for is on its way."""
        self.method_queue.drain()
        self.tpool.start()
        super().wait_for_and_dispatch_events(timeout)

    def handle(self, conn: Any) -> object:
        """Handle the next request of a connection, and those that soon follow while no other has any.

        Where it ends it is closed here: the loop must not wait for the client to do the same.
        """
        if not conn.initialized and not conn.data_ready:
            conn.data_ready = _readable(conn.sock, SOON_SECONDS)
        kept = super().handle(conn)
        while kept is True and self._is_alone() and self._asks_again(conn):
            kept = super().handle(conn)
        if kept is False:
            with contextlib.suppress(OSError):
                conn.close(graceful=True)
        return kept

    def _is_alone(self) -> bool:
        """Whether all connections but the one that is being handled wait for their clients."""
        waiting = len(self.keepalived_conns) + len(self.pending_conns)
        return bool(self.alive) and self.nr_conns - waiting == 1

    def _asks_again(self, conn: Any) -> bool:
        if conn.parser.unreader.buf.getvalue():
            return True
        with self.tpool.step_aside():
            return _readable(conn.sock, SOON_SECONDS)

    def _after_handling(self, conn: Any, job: Job) -> bool:
        """Leave the rest to the loop; whether it need not be woken, as for a connection that is closed."""
        self.method_queue.later(self.finish_request, conn, job)
        return conn.sock.fileno() < 0 and bool(self.alive and self._accepting)

    def finish_request(self, conn: Any, fs: Any) -> None:
        """Wait for the next request of a connection; one that is closed is only counted off."""
        if conn.sock.fileno() < 0:
            self.nr_conns -= 1
        else:
            super().finish_request(conn, fs)

    def _keepalive_after(self, conn: Any, keepalive: Any) -> bool:
        """Whether a connection goes on after an answer, once what was sent and not read is taken off it.

        A client that sends everything before it looks for an answer would find the connection lost otherwise.
        """
        until = time.monotonic() + UNREAD_SECONDS
        emptied = conn.parser.finish_body(deadline=until, max_bytes=MOST_UNREAD)
        return bool(keepalive and emptied)

    def handle_exit(self, sig: int, frame: Any) -> None:
        """Stop in order, streams first: they would go on for as long as their runs."""
        self._stop_application()
        super().handle_exit(sig, frame)

    def handle_quit(self, sig: int, frame: Any) -> None:
        """Stop at once."""
        self._stop_application()
        super().handle_quit(sig, frame)

    def _stop_application(self) -> None:
        """Tell the application, once there is one, that the process is to end."""
        stop = getattr(getattr(self, "wsgi", None), "stop", None)
        if stop is not None:
            stop()

    def handle_error(self, req: Any, client: Any, addr: Any, exc: BaseException) -> None:
        """Answer what never became a request; where one was answered already, only close its connection."""
        ours = isinstance(exc, InvalidResponseHeader | InvalidResponseHeaderName)
        if isinstance(exc, ParseException) and not ours:
            self.log.warning("malformed request from %s: %s", addr[0] if addr else "a socket", exc)
            if req is not None:
                return
            answer = raw_answer(_word(exc), f"the request is malformed: {exc}")
        else:
            self.log.error("a request failed outside the application", exc_info=exc)
            answer = raw_answer("broken", "something went wrong here")
        with contextlib.suppress(OSError):
            client.setblocking(True)
            client.sendall(answer)


def _readable(sock: socket.socket, seconds: float) -> bool:
    """Whether something comes in within so long, if only the end."""
    poll = select.poll()
    poll.register(sock, select.POLLIN)
    return bool(poll.poll(seconds * 1000))


def _is_of_interest(record: logging.LogRecord) -> bool:
    """Whether to log a record: not of a client that fell silent, as there may be many."""
    return not (record.exc_info and isinstance(record.exc_info[1], BlockingIOError))


def _word(error: BaseException) -> str:
    """The word for a kind of malformed request, under which its status is found."""
    if isinstance(error, LimitRequestLine):
        return "line"
    if isinstance(error, LimitRequestHeaders):
        return "headers"
    if isinstance(error, ExpectationFailed):
        return "expectation"
    if isinstance(error, UnsupportedTransferCoding):
        return "coding"
    return "malformed"


def _url(listener: Any) -> str:
    name = listener.sock.getsockname()
    if isinstance(name, str | bytes):
        return f"unix:{name if isinstance(name, str) else name.decode()}"
    host = f"[{name[0]}]" if ":" in name[0] else name[0]
    return f"http://{host}:{name[1]}"
