"""A store that speaks S3 on loopback: moto's server, in a separate process."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

SECONDS = 60.0
SERVE = """
import os, sys
from moto import server

class Store(server.DomainDispatcherApplication):
    def __call__(self, environ, start_response):
        if environ["REQUEST_METHOD"] == "PUT" and os.path.exists(sys.argv[2]):
            environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
            start_response("507 Insufficient Storage", [("Content-Type", "application/xml")])
            return [b"<Error><Code>XMinioStorageFull</Code><Message>no room</Message></Error>"]
        return super().__call__(environ, start_response)

server.DomainDispatcherApplication = Store
server.main(["-H", "127.0.0.1", "-p", sys.argv[1]])
"""
"""The server; while the file that its second argument names exists it has no room, as MinIO says it."""


class Buckets:
    """The server with one bucket; it may be stopped and started again, empty, on its port.

    It is full while there is the file `full`.
    """

    def __init__(self, full: Path | None = None) -> None:
        self._full = full
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port: int = free.getsockname()[1]
        self._process: subprocess.Popen[bytes] | None = None

    def url(self, prefix: str, port: int | None = None) -> str:
        """The address of what is below a prefix; `port` is one that leads there."""
        endpoint = f"http://127.0.0.1:{port or self.port}"
        return f"s3://key:secret@curlew/{prefix}?endpoint={endpoint}&region=us-east-1"

    def start(self) -> None:
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        command = [sys.executable, "-W", "ignore", "-c", SERVE, str(self.port), str(self._full or "")]
        self._process = subprocess.Popen(command, env={**os.environ}, **quiet)  # type: ignore[call-overload]
        until = time.monotonic() + SECONDS
        while True:
            try:
                bucket = f"http://127.0.0.1:{self.port}/curlew"
                urllib.request.urlopen(urllib.request.Request(bucket, method="PUT"), timeout=10).close()
                return
            except OSError:
                assert time.monotonic() < until
                time.sleep(0.05)

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait(SECONDS)
            self._process = None
