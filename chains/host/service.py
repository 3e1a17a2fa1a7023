"""The process `podman system service`: started, watched, started again when it dies, stopped."""

from __future__ import annotations

import socket
import subprocess
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from chains.engine.port import EngineError
from chains.podman.leftovers import end_all

READY_SECONDS = 20.0
PAUSE_SECONDS = 0.2


class PodmanService:
    """Podman's API on the unix socket `address`. A service that an earlier life left behind is replaced."""

    def __init__(self, address: Path, environ: Mapping[str, str], log: Path) -> None:
        self.address = address
        self._environ = environ
        self._log = log
        self._command = ("podman", "system", "service", "--time=0", f"unix://{address}")
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._wanted = False

    @property
    def pid(self) -> int | None:
        """The service's process id while it runs."""
        return self._process.pid if self._process else None

    def start(self) -> None:
        """Return when the socket answers. Raises EngineError with the service's last words if not."""
        with self._lock:
            if self._wanted:
                return
            self._wanted = True
            self._spawn()
            threading.Thread(target=self._watch, name=self.address.name, daemon=True).start()
        self.await_ready()

    def await_ready(self) -> None:
        """Wait until the socket answers. Raises EngineError after some seconds without."""
        until = time.monotonic() + READY_SECONDS
        while not self.answers():
            if time.monotonic() > until:
                raise EngineError(f"Podman's service does not come up: {self.last_words()}")
            time.sleep(0.01)

    def answers(self) -> bool:
        """Whether something accepts connections on the socket."""
        with socket.socket(socket.AF_UNIX) as knock:
            try:
                knock.connect(str(self.address))
            except OSError:
                return False
        return True

    def restart(self) -> None:
        """Have the process ended, and await the one that is started in its place. Raises EngineError."""
        process = self._process
        if process and process.poll() is None:
            process.terminate()
        self.await_ready()

    def last_words(self) -> str:
        """The end of the service's log."""
        with suppress(OSError):
            return self._log.read_text(errors="replace")[-500:].strip() or "it said nothing"
        return "it said nothing"

    def stop(self) -> None:
        """End the process; containers go on without it."""
        with self._lock:
            self._wanted = False
            process, self._process = self._process, None
        if process:
            process.terminate()
            process.wait()
            self._clear()

    def _clear(self) -> None:
        """End what another life left of the service, and forget its socket.

        A service that is killed while it maps users may leave a fork of itself, which holds its locks.
        """
        end_all(self._command, READY_SECONDS)
        self.address.unlink(missing_ok=True)

    def _spawn(self) -> None:
        self._clear()
        try:
            with self._log.open("wb") as log:
                self._process = subprocess.Popen(
                    self._command,
                    env=self._environ,
                    cwd=self.address.parent,  # conmon leaves a file where it stands when memory ran out
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    start_new_session=True,
                )
        except OSError as error:
            raise EngineError(f"podman cannot be run ({error.strerror}): apt-get install podman") from error

    def _watch(self) -> None:
        """Start the service again whenever it ends unasked."""
        while process := self._process:
            process.wait()
            with self._lock:
                if not self._wanted:
                    return
                with suppress(EngineError):
                    self._spawn()
            time.sleep(PAUSE_SECONDS)
