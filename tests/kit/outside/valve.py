"""Valve: a port before a server, which may be closed, so that nobody gets to it."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress


class Valve:
    """Passes connections on to a port of this host while it is open; to close it ends them all."""

    def __init__(self, target: int) -> None:
        self._target = target
        self._server = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port: int = self._server.getsockname()[1]
        self._wires: set[socket.socket] = set()
        self._is_open = True
        threading.Thread(target=self._serve, name="valve", daemon=True).start()

    def close(self) -> None:
        """Let nobody through: each connection is closed."""
        self._is_open = False
        for wire in list(self._wires):
            _end(wire)

    def open(self) -> None:
        """Pass on again."""
        self._is_open = True

    def remove(self) -> None:
        """Close it permanently."""
        self.close()
        _end(self._server)

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._server.accept()
                if not self._is_open:
                    _end(near)
                    continue
                far = socket.create_connection(("127.0.0.1", self._target))
                self._wires |= {near, far}
                for pair in ((near, far), (far, near)):
                    threading.Thread(target=self._pass_on, args=pair, daemon=True).start()

    def _pass_on(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while piece := source.recv(1 << 16):
                target.sendall(piece)
        for wire in (source, target):
            _end(wire)
            self._wires.discard(wire)


def _end(wire: socket.socket) -> None:
    with suppress(OSError):
        wire.shutdown(socket.SHUT_RDWR)
    wire.close()
