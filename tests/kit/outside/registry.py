"""A registry of images on loopback: Debian's docker-registry, in a separate process."""

from __future__ import annotations

import base64
import json
import shutil
import socket
import subprocess
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from tests.kit.sources import ROOT
from tests.kit.wire.certificate import make_certificate

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
USER, PASSWORD = "curlew", "the word of the registry"
HTPASSWD = f"{USER}:$2b$05$sgP1H0ivP682yVzrWkuFOO4QQU3N5jfNiA0LpU50/u6z58ISjo/pS\n"
"""What `htpasswd -B` makes of that password."""


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
        settings.write_text(self.configuration())
        self._process = subprocess.Popen([program, "serve", str(settings)], **QUIET)
        until = time.monotonic() + SECONDS
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return
            except OSError:
                assert time.monotonic() < until and self._process.poll() is None
                time.sleep(0.02)

    def configuration(self) -> str:
        """What it is started with."""
        return CONFIGURATION % (self.files, self.port)

    def stop(self) -> None:
        if self._process is not None:
            self._process.terminate()
            self._process.wait(SECONDS)
            self._process = None


class GuardedRegistry(DockerRegistry):
    """A registry as deploy/hosts has it: with TLS, and for those who know the password."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.certificates = folder / "certificates"
        self.certificates.mkdir()
        make_certificate(self.certificates / "ca.crt", folder / "store.key", "127.0.0.1")
        (folder / "htpasswd").write_text(HTPASSWD)
        self.auth = self.account(PASSWORD)

    @property
    def url(self) -> str:
        return f"https://127.0.0.1:{self.port}/curlew"

    def account(self, password: str) -> Path:
        """The file that `podman login --authfile` writes for a password."""
        path = self._folder / f"auth-{password.partition(' ')[0]}.json"
        pair = base64.b64encode(f"{USER}:{password}".encode()).decode()
        path.write_text(json.dumps({"auths": {f"127.0.0.1:{self.port}": {"auth": pair}}}))
        return path

    def configuration(self) -> str:
        handed_out = (ROOT / "deploy" / "hosts" / "registry.yml").read_text()
        places = {
            "10.0.0.20:5000": f"127.0.0.1:{self.port}",
            "/var/lib/docker-registry": str(self.files),
            "/etc/docker/registry/store.crt": str(self.certificates / "ca.crt"),
            "/etc/docker/registry/store.key": str(self._folder / "store.key"),
            "/etc/docker/registry/htpasswd": str(self._folder / "htpasswd"),
        }
        for said, here in places.items():
            assert said in handed_out, said
            handed_out = handed_out.replace(said, here)
        return handed_out


class SilentRegistry:
    """Takes connections and says nothing."""

    def __init__(self) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}/curlew"

    def stop(self) -> None:
        with suppress(OSError):
            self._socket.close()
