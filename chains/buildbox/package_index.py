"""An index of Python packages on a loopback port in the network namespace of one build:
the host's credentials, certificates and addresses stay outside, and nobody else can connect.
"""

from __future__ import annotations

import ctypes
import os
import re
import shutil
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from chains.buildbox.package_sources import PackageSources, Unavailable, normal
from chains.engine.port import EngineError

PORT = 3141
AT_ONCE = 16
WAITING = 64
SECONDS = 60.0
NEW_NETWORK = 0x40000000
PAGE = re.compile(r"/simple/([A-Za-z0-9._-]{1,200})/?")
FILE = re.compile(r"/file/(\d{1,9})/[^/]{1,1000}")


@contextmanager
def serving(sources: PackageSources, pid: int, port: int = PORT) -> Iterator[None]:
    """Serve `sources` on the loopback of the process `pid` meanwhile. Raises EngineError."""
    try:
        server = _Server(sources, listen_beside(pid, port))
    except OSError as error:
        raise EngineError(f"a build cannot be given its package index: {error}") from error
    threading.Thread(target=server.serve_forever, args=(0.05,), name="packages", daemon=True).start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()


def listen_beside(pid: int, port: int) -> socket.socket:
    """A socket that listens on the loopback of the network namespace of a process.

    A thread of its own goes there: setns(2) is about the calling thread alone. Raises OSError.
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


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, sources: PackageSources, door: socket.socket) -> None:
        super().__init__(("127.0.0.1", PORT), _Handler, bind_and_activate=False)
        self.socket.close()
        self.socket = door
        self.sources = sources
        self.room = threading.BoundedSemaphore(AT_ONCE)
        self._seats = threading.BoundedSemaphore(WAITING)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Take a connection while there are not too many: each one is a thread of the runner's."""
        if self._seats.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._seats.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: what a build does to its connections is its own affair."""


class _Handler(BaseHTTPRequestHandler):
    timeout = SECONDS
    server: _Server

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing."""

    def do_GET(self) -> None:
        """Answer a page of a project, or a file of it."""
        with self.server.room, suppress(OSError):
            try:
                if found := PAGE.fullmatch(self.path):
                    self._page(normal(found[1]))
                elif found := FILE.fullmatch(self.path):
                    self._file(found[1])
                else:
                    self.send_error(404)
            except Unavailable:
                self.send_error(404)

    def _page(self, project: str) -> None:
        page = self.server.sources.page(project)
        if page is None:
            raise Unavailable(project)
        data = page.encode()
        self._begin("text/html; charset=utf-8", len(data))
        self.wfile.write(data)

    def _file(self, number: str) -> None:
        answer, size = self.server.sources.file(number)
        with answer:
            self._begin("application/octet-stream", size)
            shutil.copyfileobj(answer, self.wfile, 1 << 18)

    def _begin(self, media: str, size: int | None) -> None:
        self.send_response(200)
        self.send_header("Content-Type", media)
        if size is not None:
            self.send_header("Content-Length", str(size))
        self.end_headers()
