"""A wire to PostgreSQL that can be cut at any message: before it arrives, or before its answer does."""

from __future__ import annotations

import contextlib
import socket
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

SOCKET = ".s.PGSQL.5432"
LARGEST = 1 << 16


@dataclass(frozen=True, slots=True)
class Cut:
    """The connection is lost at the `nth` message from now on, before or after the server has heard it."""

    nth: int
    when: Literal["before", "after"]


class Wire:
    """Passes on what goes between clients of `folder` and the server whose socket is in `server`."""

    def __init__(self, folder: Path, server: Path) -> None:
        folder.mkdir()
        self._server = str(server / SOCKET)
        self._lock = threading.Lock()
        self._cut: Cut | None = None
        self._count = 0
        self._hit = False
        self._door = socket.socket(socket.AF_UNIX)
        self._door.bind(str(folder / SOCKET))
        self._door.listen()
        self._open: list[socket.socket] = []
        threading.Thread(target=self._accept, name="wire", daemon=True).start()

    def arm(self, cut: Cut) -> None:
        """Count messages from now on."""
        with self._lock:
            self._cut, self._count, self._hit = cut, 0, False

    def disarm(self) -> bool:
        """Whether the cut was made; everything passes again."""
        with self._lock:
            self._cut = None
            return self._hit

    def close(self) -> None:
        """Cut everything permanently."""
        _end(self._door, *self._open)

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._door.accept()
                server = socket.socket(socket.AF_UNIX)
                self._open += [client, server]
                try:
                    server.connect(self._server)
                except OSError:
                    _end(client, server)
                    continue
                dropped = threading.Event()
                for way in (self._questions, self._answers):
                    threading.Thread(target=way, args=(client, server, dropped), daemon=True).start()

    def _questions(self, client: socket.socket, server: socket.socket, dropped: threading.Event) -> None:
        with contextlib.suppress(OSError):
            while message := client.recv(LARGEST):
                when = self._verdict()
                if when == "before":
                    break
                if when == "after":
                    dropped.set()
                server.sendall(message)
        _end(client, server)

    def _answers(self, client: socket.socket, server: socket.socket, dropped: threading.Event) -> None:
        with contextlib.suppress(OSError):
            while (message := server.recv(LARGEST)) and not dropped.is_set():
                client.sendall(message)
        _end(client, server)

    def _verdict(self) -> str | None:
        with self._lock:
            if self._cut is None:
                return None
            self._count += 1
            if self._count != self._cut.nth:
                return None
            self._hit = True
            return self._cut.when


def _end(*sockets: socket.socket) -> None:
    for one in sockets:
        with contextlib.suppress(OSError):
            one.shutdown(socket.SHUT_RDWR)
        one.close()
