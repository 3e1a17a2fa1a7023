"""Programs of the host that are restarted when they end: Podman's service, and a name server."""

from __future__ import annotations

import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import IPv4Address
from pathlib import Path

from chains.engine.port import EngineError
from chains.host.bridges import Bridge
from chains.host.config import PATH
from chains.podman.leftovers import end_all

END_SECONDS = 20.0
TERM_SECONDS = 5.0
PAUSE_SECONDS = 0.2
LONGEST_PAUSE_SECONDS = 5.0
SHORT_LIFE_SECONDS = 0.1


@dataclass(frozen=True, slots=True)
class DaemonProgram:
    """A command with its environment, folder and log. `package` is the Debian package that contains it."""

    command: Sequence[str]
    environ: Mapping[str, str]
    folder: Path
    log: Path
    package: str


class Daemon:
    """A process of `program`; one that was left running is ended first, and then `clear` called."""

    def __init__(
        self,
        program: DaemonProgram,
        clear: Callable[[], object] = lambda: None,
        patience: float = TERM_SECONDS,
    ) -> None:
        self._program, self._patience = program, patience
        self._also_clear = clear
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._is_wanted = False
        self._began = 0.0

    @property
    def pid(self) -> int | None:
        """The process's id while it is wanted."""
        return self._process.pid if self._process else None

    def start(self) -> None:
        """Start it, unless it was started. Raises EngineError if the program is not installed."""
        with self._lock:
            if self._is_wanted:
                return
            self._spawn()
            self._is_wanted = True
            name = f"watch-{self._program.package}"
            threading.Thread(target=self._watch, name=name, daemon=True).start()

    def terminate(self) -> None:
        """End the process, by force if it hangs; another one is started instead."""
        if process := self._process:
            self._end(process)

    def stop(self) -> None:
        """End the process permanently."""
        with self._lock:
            self._is_wanted = False
            process, self._process = self._process, None
        if process:
            self._end(process)
            self._clear()

    def last_words(self) -> str:
        """Return the end of its log."""
        with suppress(OSError):
            return self._program.log.read_text(errors="replace")[-500:].strip() or "it said nothing"
        return "it said nothing"

    def _clear(self) -> None:
        end_all(self._program.command, END_SECONDS)
        self._also_clear()

    def _spawn(self) -> None:
        self._clear()
        program = self._program
        self._began = time.monotonic()
        try:
            with program.log.open("wb") as log:
                self._process = subprocess.Popen(
                    program.command,
                    env=program.environ,
                    cwd=program.folder,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    start_new_session=True,
                )
        except OSError as error:
            advice = f"apt-get install {program.package}"
            raise EngineError(f"{program.command[0]} cannot be run ({error.strerror}): {advice}") from error

    def _watch(self) -> None:
        """Restart it whenever it ends unexpectedly; with growing delays when it ends at once."""
        pause = 0.0
        while process := self._process:
            process.wait()
            is_short = time.monotonic() - self._began < SHORT_LIFE_SECONDS
            pause = min(max(2 * pause, PAUSE_SECONDS), LONGEST_PAUSE_SECONDS) if is_short else 0.0
            time.sleep(pause)
            with self._lock:
                if not self._is_wanted:
                    return
                with suppress(EngineError):
                    self._spawn()

    def _end(self, process: subprocess.Popen[bytes]) -> None:
        """End a process; kill it if it does not end within some seconds."""
        process.terminate()
        try:
            process.wait(self._patience)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


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


PROGRAM = "dnsmasq"
RESOLV_CONFS = (Path("/etc/resolv.conf"), Path("/run/systemd/resolve/resolv.conf"))
"""Files that list the host's name servers; the second one is used if the first lists systemd's loopback."""

NAMES_KEPT = 1000
QUESTIONS_AT_ONCE = 300


class NameServer:
    """A DNS forwarder on the gateway of `bridge`, without privileges, which follows the host's resolv.conf.

    `folder` contains the resolv.conf of containers, `state` its configuration and log. If the program is not
    installed, containers ask the host's name servers directly.
    """

    def __init__(
        self,
        bridge: Bridge,
        folder: Path,
        state: Path,
        program: str = PROGRAM,
        resolv_confs: Sequence[Path] = RESOLV_CONFS,
    ) -> None:
        self._bridge = bridge
        self._program = program
        self._resolv_confs = resolv_confs
        self._state = state
        self.resolv_conf = folder / "resolv.conf"
        self._configuration = state / "names.conf"
        command = (program, "--keep-in-foreground", f"--conf-file={self._configuration}")
        self._daemon = Daemon(
            DaemonProgram(command, {"PATH": PATH}, state, state / "names.log", "dnsmasq-base")
        )

    @property
    def trouble(self) -> str | None:
        """Why names cannot be answered; None if the program is installed."""
        return None if shutil.which(self._program, path=PATH) else f"{self._program} is not installed"

    @property
    def host_servers(self) -> list[IPv4Address]:
        """The host's name servers that containers can reach."""
        found = (_servers(file) for file in self._resolv_confs)
        return next(filter(None, found), [])

    def write(self) -> None:
        """Write the files for containers and the program."""
        servers = self.host_servers if self.trouble else [self._bridge.gateway]
        self.resolv_conf.write_text("".join(f"nameserver {server}\n" for server in servers))
        self._configuration.write_text(self._text())

    def start(self) -> None:
        """Start it, unless it was started. Raises EngineError if it is not installed."""
        self._daemon.start()

    def stop(self) -> None:
        """End it."""
        self._daemon.stop()

    def _text(self) -> str:
        return f"""listen-address={self._bridge.gateway}
bind-dynamic
no-hosts
domain-needed
user=nobody
group=nogroup
pid-file={self._state}/names.pid
log-facility=-
cache-size={NAMES_KEPT}
dns-forward-max={QUESTIONS_AT_ONCE}
"""


def _servers(file: Path) -> list[IPv4Address]:
    """Return the name servers in a file (resolv.conf(5)), except for those on the loopback."""
    with suppress(OSError):
        return [server for server in _all_servers(file.read_text()) if not server.is_loopback]
    return []


def _all_servers(text: str) -> Iterator[IPv4Address]:
    for words in (line.split() for line in text.splitlines()):
        if len(words) > 1 and words[0] == "nameserver":
            with suppress(ValueError):
                yield IPv4Address(words[1])
