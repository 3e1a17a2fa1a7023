"""NameServer: answers name look-ups of containers like the host's name servers, by dnsmasq(8)."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from contextlib import suppress
from ipaddress import IPv4Address
from pathlib import Path

from chains.host.bridges import Bridge
from chains.host.config import PATH
from chains.host.daemon import Daemon, DaemonProgram

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
