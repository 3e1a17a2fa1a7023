"""NameServer: answers containers on a bridge what the host's own name servers answer, by dnsmasq(8)."""

from __future__ import annotations

import shutil
from pathlib import Path

from chains.host.bridges import Bridge
from chains.host.config import PATH
from chains.host.daemon import Daemon, DaemonProgram

PROGRAM = "dnsmasq"
NAMES_KEPT = 1000
QUESTIONS_AT_ONCE = 300


class NameServer:
    """A forwarder of names on the gateway of `bridge`, without rights, which follows the host's resolv.conf.

    `folder` keeps what containers have as their own resolv.conf, `state` its configuration and log.
    """

    def __init__(self, bridge: Bridge, folder: Path, state: Path) -> None:
        self._bridge = bridge
        self._state = state
        self.resolv_conf = folder / "resolv.conf"
        self._configuration = state / "names.conf"
        command = (PROGRAM, "--keep-in-foreground", f"--conf-file={self._configuration}")
        self._daemon = Daemon(
            DaemonProgram(command, {"PATH": PATH}, state, state / "names.log", "dnsmasq-base")
        )

    @property
    def trouble(self) -> str | None:
        """Why names cannot be answered, None when the program is there."""
        return None if shutil.which(PROGRAM, path=PATH) else f"{PROGRAM} is not installed"

    def write(self) -> None:
        """Write what containers and the program read."""
        self.resolv_conf.write_text(f"nameserver {self._bridge.gateway}\n")
        self._configuration.write_text(self._text())

    def start(self) -> None:
        """Start it, unless it was started. Raises EngineError where it is not installed."""
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
