"""A registry of images on loopback: Debian's docker-registry, in a process of its own."""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
from pathlib import Path
from typing import Any

CONFIGURATION = """
version: 0.1
log: {level: error}
storage:
  filesystem: {rootdirectory: "%s"}
  delete: {enabled: true}
http: {addr: "127.0.0.1:%d"}
"""
SECONDS = 20.0
QUIET: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}


class DockerRegistry:
    """A registry that may be stopped and started again on its port."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port: int = free.getsockname()[1]
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/curlew"

    @property
    def files(self) -> Path:
        return self._folder / "registry"

    def start(self) -> None:
        program = shutil.which("docker-registry")
        assert program, "there is no docker-registry: deploy/install-packages.sh test installs it"
        settings = self._folder / "registry.yml"
        settings.write_text(CONFIGURATION % (self.files, self.port))
        self._process = subprocess.Popen([program, "serve", str(settings)], **QUIET)
        until = time.monotonic() + SECONDS
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return
            except OSError:
                assert time.monotonic() < until and self._process.poll() is None
                time.sleep(0.02)

    def stop(self) -> None:
        if self._process is not None:
            self._process.terminate()
            self._process.wait(SECONDS)
            self._process = None
