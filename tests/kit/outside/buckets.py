"""A store that speaks S3 on loopback: moto's server, in a process of its own."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.request

SECONDS = 60.0
SERVE = "import sys; from moto.server import main; main(['-H', '127.0.0.1', '-p', sys.argv[1]])"


class Buckets:
    """The server with one bucket; it may be stopped and started again, empty, on its port."""

    def __init__(self) -> None:
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
        command = [sys.executable, "-W", "ignore", "-c", SERVE, str(self.port)]
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
