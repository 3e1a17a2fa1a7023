"""Servers on the loopback of one build's network namespace, which nobody else can reach."""

from __future__ import annotations

import ctypes
import os
import socket
import threading
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import IO, Any, Generic, TypeVar

from chains.engine.port import EngineError

AT_ONCE = 16
WAITING = 64
SECONDS = 60.0
LONGEST_HEAD = 32 << 10
NEW_NETWORK = 0x40000000

Served = TypeVar("Served")
"""The object that a handler answers from, one for each build."""


@dataclass(frozen=True, slots=True)
class BuildProxy:
    """A server on the loopback of a build.

    `serve` runs it beside a process of the build. `files` are configuration texts, by their paths in the
    build, with the server's address for the recipe's commands.
    """

    serve: Callable[[int], AbstractContextManager[object]]
    files: Mapping[str, str]


@contextmanager
def serving_beside(
    pid: int, port: int, handler: type[LoopbackHandler[Served]], served: Served, name: str
) -> Iterator[None]:
    """Serve `served` on the loopback of the process `pid` in the context. Raise EngineError."""
    try:
        server = LoopbackServer(listen_beside(pid, port), handler, served)
    except OSError as error:
        raise EngineError(f"a build cannot be given its {name}: {error}") from error
    threading.Thread(target=server.serve_forever, args=(0.05,), name=name, daemon=True).start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        server.end()


def listen_beside(pid: int, port: int) -> socket.socket:
    """Return a socket that listens on the loopback of a process's network namespace.

    A new thread enters the namespace, because setns(2) only affects the calling thread. Raises OSError.
    """
    made: list[socket.socket | OSError] = []

    def listen() -> None:
        try:
            with open(f"/proc/{pid}/ns/net", "rb") as namespace:
                if ctypes.CDLL(None, use_errno=True).setns(namespace.fileno(), NEW_NETWORK):
                    number = ctypes.get_errno()
                    raise OSError(number, os.strerror(number))
            made.append(socket.create_server(("127.0.0.1", port)))
        except OSError as error:
            made.append(error)

    thread = threading.Thread(target=listen)
    thread.start()
    thread.join()
    if isinstance(made[0], OSError):
        raise made[0]
    return made[0]


class LoopbackServer(ThreadingHTTPServer, Generic[Served]):
    """A server for one build. Each connection has a thread of the runner, up to the number of seats.

    `room` limits the requests that are answered at once. All open connections end with the server.
    """

    daemon_threads = True

    def __init__(self, door: socket.socket, handler: type[LoopbackHandler[Served]], served: Served) -> None:
        super().__init__(door.getsockname(), handler, bind_and_activate=False)
        self.socket.close()
        self.socket = door
        self.served = served
        self.room = threading.BoundedSemaphore(AT_ONCE)
        self._seats = threading.BoundedSemaphore(WAITING)
        self._lock = threading.Lock()
        self._open: set[socket.socket] = set()
        self._ended = False

    def process_request(self, request: Any, client_address: Any) -> None:
        """Accept a connection unless there are too many."""
        if self._seats.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            with self.holding(request):
                super().process_request_thread(request, client_address)
        except OSError:
            self.shutdown_request(request)
        finally:
            self._seats.release()

    @contextmanager
    def holding(self, connection: socket.socket) -> Iterator[None]:
        """Keep a connection until the server ends, which closes it. Raise OSError if the server has ended."""
        with self._lock:
            if self._ended:
                raise OSError("the build has ended")
            self._open.add(connection)
        try:
            yield
        finally:
            with self._lock:
                self._open.discard(connection)

    def end(self) -> None:
        """Close all connections."""
        with self._lock:
            self._ended = True
            for connection in self._open:
                with suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore errors: a build may misuse its connections."""


class LoopbackHandler(BaseHTTPRequestHandler, Generic[Served]):
    """A handler of a build's requests, whose heads are limited in size."""

    timeout = SECONDS
    server: LoopbackServer[Served]
    methods: tuple[str, ...] = ("GET",)

    def setup(self) -> None:
        super().setup()
        self.rfile: Any = _Head(self.rfile)

    def parse_request(self) -> bool:
        """Read the head of a request. Return False if it was refused."""
        if not super().parse_request():
            return False
        if self.rfile.full:
            self.send_error(431)
        return not self.rfile.full

    def do_GET(self) -> None:
        """Answer when there is room."""
        if self.command not in self.methods:
            self.send_error(405)
            return
        with self.server.room, suppress(OSError, ValueError):
            self.answer()

    def do_HEAD(self) -> None:
        """Answer when there is room."""
        self.do_GET()

    def do_CONNECT(self) -> None:
        """Answer when there is room."""
        self.do_GET()

    @abstractmethod
    def answer(self) -> None:
        """Answer the request."""

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing."""


class _Head:
    """The lines of a stream up to a number of bytes, then none."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._left = LONGEST_HEAD

    @property
    def full(self) -> bool:
        """Whether the limit of bytes is reached."""
        return self._left <= 0

    def readline(self, size: int = -1) -> bytes:
        """Return one line, or the rest of the bytes."""
        if self.full:
            return b""
        line = self._stream.readline(min(size, self._left) if size >= 0 else self._left)
        self._left -= len(line)
        return line

    def close(self) -> None:
        """Close the stream."""
        self._stream.close()

    @property
    def closed(self) -> bool:
        """Whether the stream was closed."""
        return self._stream.closed
