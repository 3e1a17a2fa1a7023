"""Supervisor: who is told the state of this process, as systemd asks for it (sd_notify(3))."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Mapping, MutableMapping
from contextlib import suppress

WHERE = "NOTIFY_SOCKET"
READY, STOPPING = "READY=1", "STOPPING=1"


class Supervisor:
    """The socket of whoever watches over this process; telling nobody does nothing."""

    def __init__(self, environ: Mapping[str, str] = os.environ) -> None:
        self._address = environ.get(WHERE, "")

    @classmethod
    def kept_from_children(cls, environ: MutableMapping[str, str] = os.environ) -> Supervisor:
        """The supervisor, of which children learn nothing: Podman would hand it on into each container."""
        found = cls(environ)
        environ.pop(WHERE, None)
        return found

    def tell(self, *lines: str) -> None:
        """Tell the state; who does not listen misses it, and the process goes on."""
        if not self._address:
            return
        # A name with @ is one that is in no folder.
        address = f"\0{self._address[1:]}" if self._address.startswith("@") else self._address
        with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
            sender.sendto("\n".join(lines).encode(), address)

    def tell_stopping(self, seconds: float) -> None:
        """Tell that the process ends, and may take so long for it, whatever its unit says."""
        self.tell(STOPPING, f"EXTEND_TIMEOUT_USEC={int(seconds * 1_000_000)}")

    def tell_reloading(self) -> None:
        """Tell that the process starts anew, until it is ready."""
        now = time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000
        self.tell("RELOADING=1", f"MONOTONIC_USEC={now}")
