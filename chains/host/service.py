"""The process `podman system service`: started, watched, restarted, stopped."""

from __future__ import annotations

import socket
import time
from collections.abc import Mapping
from pathlib import Path

from chains.engine.port import EngineError
from chains.host.daemon import Daemon, DaemonProgram

READY_SECONDS = 20.0
# A Podman that is only slow, on a busy machine, must not count as one that hangs.
PING_SECONDS = 15.0
PING = b"GET /_ping HTTP/1.0\r\nHost: podman\r\n\r\n"


class PodmanService:
    """Podman's API on the unix socket `address`. It replaces a service that an earlier process left running.

    A service that is killed while it maps users may leave a fork that holds its locks: the fork is ended,
    too.
    """

    def __init__(
        self, address: Path, environ: Mapping[str, str], log: Path, patience: float = PING_SECONDS
    ) -> None:
        self.address, self._patience = address, patience
        command = ("podman", "system", "service", "--time=0", f"unix://{address}")
        # Conmon writes a file into its working folder when memory runs out.
        program = DaemonProgram(command, environ, address.parent, log, "podman")
        self._daemon = Daemon(program, lambda: address.unlink(missing_ok=True))

    @property
    def pid(self) -> int | None:
        """The service's process id while it runs."""
        return self._daemon.pid

    def start(self) -> None:
        """Start it; return when the socket answers. Raises EngineError with the end of its log if not."""
        if self._daemon.pid is None:
            self._daemon.start()
            self.await_ready()

    def await_ready(self) -> None:
        """Wait until the socket answers. Raises EngineError after some seconds."""
        until = time.monotonic() + READY_SECONDS
        while not self.answers():
            if time.monotonic() > until:
                raise EngineError(f"Podman's service does not come up: {self._daemon.last_words()}")
            time.sleep(0.01)

    def answers(self) -> bool:
        """Return whether it answers on the socket: a service that hangs still accepts connections."""
        with socket.socket(socket.AF_UNIX) as try_connect:
            try_connect.settimeout(self._patience)
            try:
                try_connect.connect(str(self.address))
                try_connect.sendall(PING)
                return try_connect.recv(len(PING)).startswith(b"HTTP/")
            except OSError:
                return False

    def restart(self) -> None:
        """End the process, and wait for the new one. Raises EngineError."""
        self._daemon.terminate()
        self.await_ready()

    def stop(self) -> None:
        """End the process; containers continue without it."""
        self._daemon.stop()
